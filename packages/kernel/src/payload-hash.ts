/**
 * 128 bits of a canonical payload as 32 hex digits, for the memory of succeeded ids (the rows themselves are gone by then). Deterministic
 * on every platform. Not for secrets: whoever wants to can make two texts with one hash, to the harm of his own id only. By accident two
 * given payloads are taken for equal with odds of 2^-128; only payloads sent under the same id are ever compared.
 *
 * The mix is the public-domain MurmurHash3 (x86, 128 bits), fed with UTF-16 units, two to a word, instead of bytes.
 */
export function payloadHash(canonical: string): string {
  const state = new Uint32Array(4);
  const length = canonical.length;
  const whole = length - (length % 8);
  for (let at = 0; at < whole; at += 8) mixBlock(state, canonical, at);
  mixTail(state, canonical, whole);
  finish(state, length);
  let text = "";
  for (const word of state) text += word.toString(16).padStart(8, "0");
  return text;
}

const MULTIPLIERS = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93] as const;
const KEY_TURNS = [15, 16, 17, 18] as const;
const STATE_TURNS = [19, 17, 15, 13] as const;
const ADDENDS = [0x561ccd1b, 0x0bcaa747, 0x96cd1c35, 0x32ac3b17] as const;

function mixBlock(state: Uint32Array, text: string, at: number): void {
  for (let lane = 0; lane < 4; lane += 1) {
    const word = text.charCodeAt(at + lane * 2) | (text.charCodeAt(at + lane * 2 + 1) << 16);
    const mixed = turn(state[lane]! ^ scrambled(word, lane), STATE_TURNS[lane]!) + state[(lane + 1) % 4]!;
    state[lane] = Math.imul(mixed, 5) + ADDENDS[lane]!;
  }
}

function mixTail(state: Uint32Array, text: string, at: number): void {
  for (let lane = 0; at + lane * 2 < text.length; lane += 1) {
    const low = text.charCodeAt(at + lane * 2);
    const high = at + lane * 2 + 1 < text.length ? text.charCodeAt(at + lane * 2 + 1) : 0;
    state[lane] = state[lane]! ^ scrambled(low | (high << 16), lane);
  }
}

function scrambled(word: number, lane: number): number {
  return Math.imul(turn(Math.imul(word, MULTIPLIERS[lane]!), KEY_TURNS[lane]!), MULTIPLIERS[(lane + 1) % 4]!);
}

function finish(state: Uint32Array, length: number): void {
  for (let lane = 0; lane < 4; lane += 1) state[lane] = state[lane]! ^ length;
  spread(state);
  for (let lane = 0; lane < 4; lane += 1) state[lane] = avalanche(state[lane]!);
  spread(state);
}

function spread(state: Uint32Array): void {
  state[0] = state[0]! + state[1]! + state[2]! + state[3]!;
  for (let lane = 1; lane < 4; lane += 1) state[lane] = state[lane]! + state[0]!;
}

function avalanche(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function turn(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

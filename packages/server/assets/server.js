// @ts-check
// Talks to the server that this page came from; paths are relative, so that the page works under any prefix.

const KEY = "giveway-token";

/** @param {string} token */
export function keepToken(token) {
  sessionStorage.setItem(KEY, token);
}

export class Unauthorized extends Error {}

/**
 * @param {string | null} token
 * @returns {Record<string, string>}
 */
const credentials = (token) => (token === null ? {} : { authorization: `Bearer ${token}` });

/** @param {string} path */
export async function read(path) {
  const token = sessionStorage.getItem(KEY);
  const response = await fetch(path, { headers: credentials(token) });
  if (response.status === 401) {
    // Another one may have been entered meanwhile.
    if (sessionStorage.getItem(KEY) === token) sessionStorage.removeItem(KEY);
    throw new Unauthorized();
  }
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail ?? `status ${response.status}`);
  return body;
}

/**
 * Calls back for each event, for ever: a broken stream is opened again where it broke.
 * @param {(event: any) => void} onEvent
 * @param {(missed: number | null) => void} onGap
 */
export async function follow(onEvent, onGap) {
  /** @type {string | null} */
  let last = null;
  for (;;) {
    try {
      /** @type {Record<string, string>} */
      const resume = last === null ? {} : { "last-event-id": last };
      const path = last === null ? "v1/events?recent=40" : "v1/events";
      const response = await fetch(path, { headers: { ...credentials(sessionStorage.getItem(KEY)), ...resume } });
      if (response.ok && response.body !== null) {
        for await (const message of messages(response.body)) {
          last = message.id ?? last;
          if (message.event === "gap") onGap(JSON.parse(message.data).missed);
          else onEvent(JSON.parse(message.data));
        }
      }
    } catch {
      // The next try says what is wrong, and the health shows it meanwhile.
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

/** @param {ReadableStream<Uint8Array>} body */
async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(
        block.split("\n").map((line) => [line.split(":", 1)[0] ?? "", line.replace(/^[^:]*: ?/, "")]),
      );
      const data = fields.get("data");
      if (data !== undefined) yield { event: fields.get("event") ?? "message", id: fields.get("id") ?? null, data };
    }
  }
}

import { type ErrorCode, GivewayError } from "@giveway/kernel";
import type { StoreListener, TaskStore } from "@giveway/store";

type Call = keyof TaskStore & string;

export interface Link {
  readonly store: TaskStore;
  /** The connection is gone: nothing is sent any more, nothing is answered. As when the process is killed. */
  cut(): void;
  /** Calls of this name are refused with the code, without having been written, until `heal`. */
  refuse(call: Call, code: ErrorCode): void;
  /** Calls of this name are written, but their answers get lost (`ledger_unavailable`), until `heal`. */
  loseAnswers(call: Call): void;
  heal(): void;
  /** Answers to calls of this name take until this resolves, until `heal`. */
  slowDown(call: Call, wait: () => Promise<void>): void;
  /** Calls of this name are answered with this, and not sent on, until `heal`. */
  answer(call: Call, value: unknown): void;
  /** Calls of this name are not sent on before `release`. */
  hold(call: Call): void;
  release(): void;
  /** No news of other processes' writes get through. */
  deafen(): void;
  /** How often each call was made. */
  readonly calls: ReadonlyMap<string, number>;
  /** What was asked, by call, newest last. */
  asked(call: Call): readonly (readonly unknown[])[];
  /** Calls under way. */
  readonly open: number;
  /** The ledger reports that it can't go on. */
  breakDown(error: Error): void;
}

/** A store behind a connection that a test can cut, hold and disturb. */
export function linkTo(store: TaskStore): Link {
  const calls = new Map<string, number>();
  const asked = new Map<string, unknown[][]>();
  const refused = new Map<string, ErrorCode>();
  const lost = new Set<string>();
  const held = new Set<string>();
  const answers = new Map<string, unknown>();
  const slow = new Map<string, () => Promise<void>>();
  let waiting: (() => void)[] = [];
  let cut = false;
  let deaf = false;
  let open = 0;
  let listener: StoreListener | null = null;

  const never = (): Promise<never> => new Promise(() => undefined);
  const send = async (name: string, args: unknown[], method: (...args: unknown[]) => unknown): Promise<unknown> => {
    if (held.has(name)) await new Promise<void>((resolve) => waiting.push(resolve));
    if (cut) return never();
    const code = refused.get(name);
    if (code !== undefined) throw new GivewayError(code, `${name} refused by the test`);
    if (answers.has(name)) return answers.get(name);
    const answer: unknown = await method.apply(store, args);
    await slow.get(name)?.();
    if (cut) return never();
    if (lost.has(name)) throw new GivewayError("ledger_unavailable", `the answer to ${name} got lost`);
    return answer;
  };

  const proxy = new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const name = String(key);
      if (name === "listen") {
        return (given: StoreListener) => {
          listener = given;
          target.listen({
            wake: () => {
              if (!deaf && !cut) given.wake();
            },
            fatal: (error) => given.fatal(error),
            committed: (operations, ms) => given.committed?.(operations, ms),
          });
        };
      }
      return (...args: unknown[]) => {
        calls.set(name, (calls.get(name) ?? 0) + 1);
        const log = asked.get(name) ?? [];
        asked.set(name, log);
        log.push(args);
        open += 1;
        const done = (): void => {
          open -= 1;
        };
        const answer = send(name, args, value as (...args: unknown[]) => unknown);
        answer.then(done, done);
        return answer;
      };
    },
  });

  return {
    store: proxy,
    cut: () => {
      cut = true;
    },
    refuse: (call, code) => {
      refused.set(call, code);
    },
    loseAnswers: (call) => {
      lost.add(call);
    },
    heal: () => {
      refused.clear();
      lost.clear();
      answers.clear();
      slow.clear();
    },
    slowDown: (call, wait) => {
      slow.set(call, wait);
    },
    answer: (call, value) => {
      answers.set(call, value);
    },
    hold: (call) => {
      held.add(call);
    },
    release: () => {
      held.clear();
      for (const go of waiting.splice(0)) go();
      waiting = [];
    },
    deafen: () => {
      deaf = true;
    },
    calls,
    asked: (call) => asked.get(call) ?? [],
    get open() {
      return open;
    },
    breakDown: (error) => listener?.fatal(error),
  };
}

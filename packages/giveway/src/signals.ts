import type { Scheduler } from "./scheduler.ts";

export interface SignalOptions {
  /** How long running work may take to end; default 25 s, below the 30 s that most platforms wait. */
  readonly timeout?: number | string;
  /** Called once stopped; default sets no exit code and lets the process end by itself. */
  readonly onStopped?: () => void;
}

/**
 * Stops the scheduler on SIGTERM or SIGINT: the first signal stops gracefully (A20), a second one forces it. Answers a function that
 * takes the handlers off again. The library never installs them unasked: the host program owns its signals.
 */
export function stopOnSignals(scheduler: Pick<Scheduler, "stop">, options: SignalOptions = {}): () => void {
  let asked = 0;
  const onSignal = (): void => {
    asked += 1;
    if (asked > 2) return;
    const stopping = scheduler.stop(
      asked === 1 ? (options.timeout === undefined ? {} : { timeout: options.timeout }) : { timeout: 0 },
    );
    stopping.then(() => {
      remove();
      options.onStopped?.();
    }, remove);
  };
  const remove = (): void => {
    process.off("SIGTERM", onSignal);
    process.off("SIGINT", onSignal);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return remove;
}

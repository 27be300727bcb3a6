import type { Logger } from "../api.ts";
import type { EngineEvent } from "../ports.ts";

/** The one place that words logs (A18). Connect with `hub.consume((event) => lines.consume(event))`. */
export class LogLines {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  consume(event: EngineEvent): void {
    void [this.#logger, event];
    throw new Error("not built yet");
  }
}

import type { EngineEvent, MeasurePort } from "../ports.ts";

/** Counts what happens on this node. Connect with `hub.consume((event) => registry.consume(event))`. */
export class MetricsRegistry implements MeasurePort {
  consume(event: EngineEvent): void {
    void event;
    throw new Error("not built yet");
  }
  committed(operations: number, ms: number): void {
    void [operations, ms];
    throw new Error("not built yet");
  }
  timerLate(ms: number): void {
    void ms;
    throw new Error("not built yet");
  }
}

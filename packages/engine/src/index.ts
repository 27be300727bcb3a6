export * from "./api.ts";
export { createEngine } from "./engine.ts";
export { MAX_SLEEP, systemClock } from "./time/system-clock.ts";
export { VirtualClock, type VirtualClockOptions } from "./time/virtual-clock.ts";

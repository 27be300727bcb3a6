/**
 * The lease clock: whole ms on the system's monotonic clock. On Linux, macOS and Windows it counts from boot and is the same in every
 * process, so leases of processes that share a file compare, whatever people do to the wall clock.
 */
export function bootClock(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

import { formatDuration } from "../duration.ts";
import { toIso } from "../instant.ts";
import type { StoredError } from "../task.ts";

/** A span of time as people say it: two units are enough. `1h5m`, `4s`, `250ms`. */
export function span(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const unit = whole < 1_000 ? 1 : whole < 3_600_000 ? 1_000 : whole < 86_400_000 ? 60_000 : 3_600_000;
  return formatDuration(Math.round(whole / unit) * unit);
}

/** An instant with how far it is: `2026-03-01T09:00:00.000Z (in 4s)`. */
export function moment(at: number, now: number): string {
  return at > now ? `${toIso(at)} (in ${span(at - now)})` : `${toIso(at)} (${span(now - at)} ago)`;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return n === 1 ? `1 ${one}` : `${n} ${many}`;
}

/** An error in one short line. */
export function errorLine(error: StoredError | null): string {
  if (error === null) return "";
  const line = error.message.split("\n", 1)[0] ?? "";
  return `${error.name}: ${line.length > 200 ? `${line.slice(0, 199)}…` : line}`;
}

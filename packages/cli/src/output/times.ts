import { formatDuration } from "@giveway/kernel";

/** How an instant reads from `now`: "3m ago", "in 2h", "now". Two units at most are enough for a table. */
export function relativeTime(iso: string | null, now: number): string {
  if (iso === null) return "–";
  const distance = Date.parse(iso) - now;
  const size = Math.abs(distance);
  if (size < 1000) return "now";
  const text = roughDuration(size);
  return distance < 0 ? `${text} ago` : `in ${text}`;
}

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
];

/** A duration in its largest unit, with the next one where the number is small: "2m10s", "5d". */
export function roughDuration(ms: number): string {
  const index = UNITS.findIndex(([size]) => ms >= size);
  const unit = UNITS[index];
  if (unit === undefined) return formatDuration(Math.round(ms));
  const count = Math.floor(ms / unit[0]);
  const next = UNITS[index + 1];
  const rest = next === undefined ? 0 : Math.floor((ms % unit[0]) / next[0]);
  return count < 10 && next !== undefined && rest > 0 ? `${count}${unit[1]}${rest}${next[1]}` : `${count}${unit[1]}`;
}

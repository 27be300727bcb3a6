/** What people write who come from other schedulers. */
const HABITS: Readonly<Record<string, string>> = {
  priority: "weight",
  prio: "weight",
  retries: "retry",
  attempts: "retry",
  backoff: "retry",
  data: "payload",
  body: "payload",
  at: "runAt",
  startAfter: "runAt",
  scheduledFor: "runAt",
  jobId: "id",
  taskId: "id",
  ttl: "expires",
  workers: "slots",
  maxConcurrency: "concurrency",
  status: "state",
};

/** The known names a mistyped one may stand for, nearest first; empty where none is near. */
export function nearMatches(name: string, known: readonly string[], limit = 3): readonly string[] {
  // Distances cost the product of the lengths; nobody mistypes a name this long.
  if (name.length > 100) return [];
  const habit = Object.hasOwn(HABITS, name) ? HABITS[name] : undefined;
  if (habit !== undefined && known.includes(habit)) return [habit];
  const reach = Math.max(1, Math.min(3, Math.floor(name.length / 3)));
  return known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= reach)
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** `; did you mean weight?`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearMatches(name, known);
  return near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
}

/** Edits between two names, two neighbours swapped counting as one. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row: number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[to.length]!;
}

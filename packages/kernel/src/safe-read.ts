/**
 * Reads one property of whatever was thrown. Getters and proxies may throw themselves; that counts as absent, so that recording a failure
 * can't fail (A11, V-34).
 */
export function read(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

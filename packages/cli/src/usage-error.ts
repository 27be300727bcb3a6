/** The command line itself is wrong: exit code 2. Whatever else fails is exit code 1. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

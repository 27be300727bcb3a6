import { GivewayError } from "@giveway/kernel";
import type { StandardSchemaV1 } from "@standard-schema/spec";

/**
 * Checks a value by a Standard Schema and answers what the schema made of it. Throws `invalid_payload` that names the first place that
 * is wrong and counts the others, so that one line is enough to mend it.
 */
export async function checkBySchema(schema: StandardSchemaV1, type: string, value: unknown): Promise<unknown> {
  const answer = schema["~standard"].validate(value);
  const result = answer instanceof Promise ? await answer : answer;
  if (result.issues === undefined) return result.value;
  throw invalidPayload(type, result.issues);
}

function invalidPayload(type: string, issues: readonly StandardSchemaV1.Issue[]): GivewayError {
  const first = issues[0];
  const field = `payload${pathText(first?.path)}`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new GivewayError(
    "invalid_payload",
    `${field}: ${first?.message ?? "not what the schema asks for"}${more}; type ${type}`,
    {
      field,
      subject: type,
    },
  );
}

function pathText(path: StandardSchemaV1.Issue["path"]): string {
  return (path ?? [])
    .map((part) => (typeof part === "object" ? part.key : part))
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("");
}

import { ERROR_CODES, type ErrorCode } from "@giveway/kernel";
import type { z } from "zod";
import type { DeepReadonly } from "./operation.ts";
import type { problem } from "./schemas/problem.ts";

export type Problem = DeepReadonly<z.output<typeof problem>>;

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/** Where a code is explained: an entry of the server's own page for people. */
export const problemType = (code: string): string => `/docs#error-${code}`;

/** `id_conflict` → `Id conflict`: the same for every occurrence, as RFC 9457 asks. */
export function problemTitle(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERROR_CODES, code);
}

export interface ProblemFacts {
  readonly field?: string | undefined;
  readonly subject?: string | undefined;
  readonly retryable?: boolean | undefined;
  /** Where one case differs from its code's own status. */
  readonly status?: number | undefined;
}

export function makeProblem(code: ErrorCode, detail: string, facts: ProblemFacts = {}): Problem {
  return {
    type: problemType(code),
    title: problemTitle(code),
    status: facts.status ?? ERROR_CODES[code].status,
    detail,
    code,
    retryable: facts.retryable ?? ERROR_CODES[code].retryable,
    ...(facts.field === undefined ? {} : { field: facts.field }),
    ...(facts.subject === undefined ? {} : { subject: facts.subject }),
  };
}

/** Every reason code with its meaning. `docs/reference/why.md` lists them all, and a test keeps both in step. */
export const WHY_CODES = {
  due_time: "Its due time lies ahead.",
} as const satisfies Record<string, string>;

export type WhyCode = keyof typeof WHY_CODES;

/** One reason: a stable code for programs and a plain English sentence with its numbers for people. */
export interface WhyReason {
  readonly code: WhyCode;
  readonly text: string;
}

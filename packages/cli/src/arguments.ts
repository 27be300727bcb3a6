import { readFile } from "node:fs/promises";
import { GivewayError, parseWeight } from "@giveway/kernel";
import { InvalidArgumentError } from "commander";
import { UsageError } from "./usage-error.ts";

/** A weight as people write it, for commander: a number or one of the four names. */
export function weightArgument(text: string): number {
  try {
    return parseWeight(/^\d+$/.test(text) ? Number(text) : text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof GivewayError ? error.message : String(error));
  }
}

/** A whole number of at least `least`, for commander. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/** Collects a repeatable or comma-separated option. */
export function listArgument(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...text.split(",").filter((part) => part !== "")];
}

/** JSON as given: literally, from a file (`@file`), or from standard input (`-`). */
export async function readPayload(source: string, stdin: NodeJS.ReadableStream): Promise<unknown> {
  const text = await payloadText(source, stdin);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`--payload: not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function payloadText(source: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (source === "-") return readAll(stdin);
  if (!source.startsWith("@")) return source;
  try {
    return await readFile(source.slice(1), "utf8");
  } catch (error) {
    throw new UsageError(
      `--payload: can't read ${source.slice(1)}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(typeof part === "string" ? Buffer.from(part) : part);
  return Buffer.concat(parts).toString("utf8");
}

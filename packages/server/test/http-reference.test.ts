import { readFileSync } from "node:fs";
import { isErrorCode } from "@giveway/api";
import { describe, expect, it } from "vitest";
import { serveReal } from "./support/real.ts";
import { send } from "./support/serve.ts";

const reference = readFileSync(new URL("../../../docs/reference/http.md", import.meta.url), "utf8");

interface Example {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** Each ```http block is a request, the ```json block with a status after it its answer. */
function examplesOf(markdown: string): Example[] {
  const pairs = [...markdown.matchAll(/```http\n([\s\S]*?)```\s+```json (\d{3})\n([\s\S]*?)```/g)];
  return pairs.map(([, request = "", status, answer = ""]) => {
    const [head = "", ...rest] = request.split("\n\n");
    const [first = "", ...lines] = head.trim().split("\n");
    const [method, url] = first.split(" ");
    const headers = lines.map((line) => [line.split(":", 1)[0]!.toLowerCase(), line.replace(/^[^:]*: */, "")]);
    const body = rest.join("\n\n").trim();
    return {
      method: method as Example["method"],
      url: url!,
      headers: Object.fromEntries(headers),
      body: body === "" ? undefined : JSON.parse(body),
      status: Number(status),
      answer: answer.trim() === "" ? null : JSON.parse(answer),
    };
  });
}

/** What an example shows must be there, with the same values; instants and what is written as … may be any. */
function shown(value: unknown): unknown {
  if (value === "…" || (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value))) return expect.any(String);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  return expect.objectContaining(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shown(part)])));
}

const examples = examplesOf(reference);

describe("docs/reference/http.md", () => {
  it("has an answer to each request", () => {
    expect(examples.length).toBeGreaterThan(20);
    expect(examples).toHaveLength([...reference.matchAll(/^```http$/gm)].length);
  });

  it("shows what happens, from the first example to the last", async () => {
    const { server } = await serveReal(
      [
        { type: "close_order", queue: "orders", run: () => null },
        { type: "send_mail", queue: "mail", run: () => null },
      ],
      { mail: {}, orders: {} },
    );
    for (const { method, url, headers, body, status, answer } of examples) {
      const got = await send(server, method, url, body, headers);
      expect(got.status, `${method} ${url}: ${got.text}`).toBe(status);
      if (answer !== null) expect(got.body, `${method} ${url}`).toEqual(shown(answer));
    }
  });

  it("names only codes that exist", () => {
    const codes = [...reference.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code]) => code!);
    const words = new Set(["close_order", "send_mail"]);
    expect(codes.filter((code) => !isErrorCode(code) && !words.has(code))).toEqual([]);
  });
});

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

async function pages(): Promise<readonly string[]> {
  const own = (await readdir(root)).filter((name) => name.endsWith(".md"));
  const docs = (await readdir(join(root, "docs"), { recursive: true })).filter((name) => name.endsWith(".md"));
  return [...own, ...docs.map((name) => join("docs", name))];
}

/** A heading's anchor as code hosts make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

async function brokenLinks(page: string): Promise<readonly string[]> {
  const text = await readFile(join(root, page), "utf8");
  const broken: string[] = [];
  for (const [, target = ""] of text.replace(/```[\s\S]*?```/g, "").matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? join(root, page) : join(root, dirname(page), path);
    if (!existsSync(file)) broken.push(target);
    else if (anchor !== undefined && !(await hasAnchor(file, anchor))) broken.push(target);
  }
  return broken;
}

async function hasAnchor(file: string, anchor: string): Promise<boolean> {
  const headings = (await readFile(file, "utf8")).matchAll(/^#+ (.+)$/gm);
  return [...headings].some(([, heading = ""]) => anchorOf(heading) === anchor);
}

describe("the documentation", () => {
  it("links to pages and headings that exist", async () => {
    const found = await Promise.all(
      (await pages()).map(async (page) => (await brokenLinks(page)).map((link) => `${page}: ${link}`)),
    );
    expect(found.flat()).toEqual([]);
  });

  it("is reached from the README, page by page", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8");
    const guides = (await pages()).filter(
      (page) => page.startsWith(join("docs", "guides")) || page.startsWith(join("docs", "reference")),
    );
    expect(guides.length).toBeGreaterThan(0);
    expect(guides.filter((page) => !readme.includes(relative("", page)))).toEqual([]);
  });
});

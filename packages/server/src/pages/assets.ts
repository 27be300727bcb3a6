import { readFileSync } from "node:fs";

const FILES: Readonly<Record<string, string>> = {
  "page.css": "text/css; charset=utf-8",
  "status.js": "text/javascript; charset=utf-8",
  "server.js": "text/javascript; charset=utf-8",
  "elements.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

export interface Assets {
  readonly page: string;
  readonly files: ReadonlyMap<string, { readonly mediaType: string; readonly text: string }>;
}

/** The files that pages load, read once. They lie beside `src` and `dist` alike. */
export function readAssets(): Assets {
  const read = (name: string) => readFileSync(new URL(`../../assets/${name}`, import.meta.url), "utf8");
  return {
    page: read("status.html"),
    files: new Map(Object.entries(FILES).map(([name, mediaType]) => [name, { mediaType, text: read(name) }])),
  };
}

#!/usr/bin/env node
// Plain JavaScript, kept in the repository, so that npm can link the command before anything is built.
import { existsSync } from "node:fs";

const main = new URL("../dist/main.js", import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write("giveway: this copy is not built yet; run `npm run build` in the repository first.\n");
  process.exitCode = 1;
}

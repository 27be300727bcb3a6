// `npm run build`: compiles all packages into their dist folders.
import { build } from "./lib/build.mjs";

process.exitCode = build() ? 0 : 1;

import { defineConfig } from "vitest/config";

// `npm run test:long` sets GIVEWAY_TEST_LONG; an ordinary run leaves the long files out.
const long = process.env["GIVEWAY_TEST_LONG"] === "1";
const roots = ["packages/*/test/**", "tests/**", "docs/**"];

// Packages resolve to their sources, so that tests never run against a stale build.
const conditions = ["giveway-source", "module", "import", "node", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: roots.map((root) => (long ? `${root}/*.long.test.ts` : `${root}/*.test.ts`)),
    exclude: ["**/node_modules/**", "**/dist/**", ...(long ? [] : ["**/*.long.test.ts"])],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: long ? 1_800_000 : 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
  },
});

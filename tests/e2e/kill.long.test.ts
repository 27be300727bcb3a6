import { it } from "vitest";
import { killRounds } from "./kill-rounds.ts";

it("keeps every acknowledged task through 200 rounds of kill -9", { timeout: 3_600_000 }, async () => {
  const seed = Math.floor(Math.random() * 1e9);
  console.log(`seed ${seed}`);
  await killRounds(200, seed);
});

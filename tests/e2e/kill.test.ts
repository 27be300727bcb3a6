import { it } from "vitest";
import { killRounds } from "./kill-rounds.ts";

it("keeps every acknowledged task through kill -9 at random moments, and ends it once in effect", {
  timeout: 240_000,
}, async () => {
  await killRounds(50, 20_250_101);
});

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scalar } from "../src/driver/driver.ts";
import { loadDriver } from "../src/driver/load.ts";
import { Child } from "./support/child.ts";
import { testFolder } from "./support/folder.ts";
import { canShim, shim } from "./support/shim.ts";
import { openStore } from "./support/stores.ts";

const COUNT = 300;

/** Two folders, and an environment in which the second one gets only what was synced in the first. */
function stage(): { readonly real: string; readonly shadow: string; readonly env: Record<string, string> } {
  const folder = testFolder();
  const real = join(folder, "real");
  const shadow = join(folder, "shadow");
  mkdirSync(real);
  mkdirSync(shadow);
  const env = shim("power-cut", folder, { GIVEWAY_SHIM_FOLDER: real, GIVEWAY_SHIM_SHADOW: shadow });
  return { real, shadow, env };
}

async function rowsLeft(synchronous: string): Promise<unknown> {
  const { real, shadow, env } = stage();
  const child = new Child("bare-writer", [join(real, "ledger.db"), synchronous, String(COUNT)], { env });
  await child.ended;
  const driver = loadDriver()(join(shadow, "ledger.db"), 0);
  const count = scalar(driver, "SELECT count(*) FROM task");
  driver.close();
  return count;
}

describe.skipIf(!canShim)("a power cut (needs Linux and gcc)", () => {
  it.each(["thread", "inline"])(`loses none of ${COUNT} acknowledged tasks (%s)`, async (mode) => {
    const { real, shadow, env } = stage();
    const args = [join(real, "ledger.db"), "task", String(COUNT), mode];
    const child = new Child("writer", args, { env: { ...env, GIVEWAY_TEST_END: "kill" } });
    await child.ended;
    const acknowledged = child.said.flatMap((line) => (line as { readonly id?: string }).id ?? []);
    expect(acknowledged).toHaveLength(COUNT);
    const store = await openStore({ file: join(shadow, "ledger.db"), inline: true });
    expect(await store.depths()).toMatchObject([{ ready: COUNT }]);
    expect(await store.check()).toEqual([]);
  });

  it("would lose them with less: the model tells the settings apart", async () => {
    expect(await rowsLeft("FULL")).toBe(COUNT);
    expect(await rowsLeft("NORMAL")).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { Child } from "./support/child.ts";
import { testFile } from "./support/folder.ts";
import { openStore } from "./support/stores.ts";
import { NODE, register } from "./support/tasks.ts";

describe("leases in real time", () => {
  it("are kept by the ledger's thread while an engine is late, but not while its main loop is dead", async () => {
    const file = testFile();
    const store = await openStore({ file });
    await register(store);
    const child = new Child("blocked", [file]);
    await child.until((said) => said === "registered");
    const first = await store.nodes();
    const beatOf = (nodes: typeof first, name: string): number =>
      nodes.find(({ node }) => node === name)?.lastBeat ?? 0;
    let nodes = first;
    // Neither engine beats. Ours answers pings; two renewals of its lease are time enough for the other one to have had its own.
    for (let renewals = 0; renewals < 2; ) {
      const seen = await store.nodes();
      if (beatOf(seen, NODE) > beatOf(nodes, NODE)) renewals += 1;
      nodes = seen;
    }
    expect(beatOf(nodes, "blocked")).toBe(beatOf(first, "blocked"));
    expect(nodes.map(({ provenDead }) => provenDead)).toEqual([false, false]);
  });
});

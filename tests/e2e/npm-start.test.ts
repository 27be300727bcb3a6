import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "@giveway/api";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");

it("`npm start` runs the demonstration and stops by one signal, as the README says", async () => {
  const folder = await mkdtemp(join(tmpdir(), "giveway-start-"));
  const flags = ["--port", "0", "--db", `sqlite:${join(folder, "shop.db")}`];
  const child = spawn("npm", ["start", "--", ...flags], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const exited = once(child, "exit") as Promise<[number | null]>;
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const found = /^Giveway is ready at (\S+)$/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
      exited.then(([code]) => reject(new Error(`npm start ended with ${code}`)), reject);
    });
    const client = createClient({ url });
    expect((await client.ready()).ready).toBe(true);
    for await (const item of client.events({ recent: 100 }))
      if (item.kind === "event" && item.event.kind === "succeeded") break;
    expect((await client.queues()).items.map((queue) => queue.name)).toEqual(
      expect.arrayContaining(["orders", "payments", "notifications", "reports"]),
    );
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
});

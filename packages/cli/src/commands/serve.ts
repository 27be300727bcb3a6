import { wholeNumber } from "../arguments.ts";
import type { Context, Surroundings } from "../context.ts";
import type { RunningServer } from "../serve/run-server.ts";
import { type ServeFlags, serveSettings } from "../serve/settings.ts";
import { type AddCommand, withContext } from "./command-kit.ts";

export const addServe: AddCommand = (program, surroundings) => {
  program
    .command("serve")
    .description("run a scheduler with its HTTP face")
    .option(
      "--db <url>",
      "the ledger: sqlite:FILE or memory (GIVEWAY_DB, DATABASE_URL; default sqlite:./data/giveway.db)",
    )
    .option("--port <n>", "the port; 0 takes a free one (GIVEWAY_PORT, PORT; default 7700)", wholeNumber(0, 65_535))
    .option(
      "--host <host>",
      "the address to listen on; others than this machine's need tokens (GIVEWAY_HOST; default 127.0.0.1)",
    )
    .option("--tasks <file>", "an ES module that exports task definitions")
    .option("--config <file>", "a JSON file or ES module with db, port, host, tasks, logLevel, queues")
    .option("--log-level <level>", "debug, info, warn, error or silent (GIVEWAY_LOG_LEVEL; default info)")
    .option("--demo", "send the demonstration traffic of a shop")
    .option("--no-demo", "send none (the default)")
    .action(withContext(surroundings, run));
};

async function run({ out, surroundings }: Context, flags: ServeFlags): Promise<void> {
  // The scheduler and its server are loaded for this command only: all others have to answer at once.
  const { runServer } = await import("../serve/run-server.ts");
  const server = await runServer(await serveSettings(flags, surroundings.env), surroundings.env);
  const nodes = { url: server.url, node: server.scheduler.nodeId };
  if (out.json) out.answer(nodes, () => []);
  else out.line(`Giveway is ready at ${server.url}`);
  await stopped(server, surroundings);
}

/** The first SIGTERM or SIGINT stops gracefully, a second one at once. */
function stopped(server: RunningServer, surroundings: Surroundings): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked = 0;
    const onSignal = (): void => {
      asked += 1;
      if (asked > 2) process.exit(1);
      if (asked === 1) surroundings.stderr.write("giveway: stopping; a second signal forces it\n");
      server.stop(asked === 1 ? {} : { timeout: 0 }).then(() => {
        process.off("SIGTERM", onSignal);
        process.off("SIGINT", onSignal);
        resolve();
      }, reject);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

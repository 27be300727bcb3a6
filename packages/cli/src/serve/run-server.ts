import { systemClock } from "@giveway/engine";
import { createServer, type Server, tokensFromEnv } from "@giveway/server";
import { type AnyTask, createScheduler, type LogLevel, loggerFrom, type Scheduler } from "giveway";
import { BUILT_IN_TASKS } from "../builtin/index.ts";
import { SHOP_QUEUES, Shop, shopTaskList, shopTasks } from "../demo/shop.ts";
import { Traffic } from "../demo/traffic.ts";
import { loadTasks } from "./load-tasks.ts";
import type { ServeSettings } from "./settings.ts";

export interface RunningServer {
  readonly url: string;
  readonly scheduler: Scheduler;
  /** Stops traffic and dispatch, waits for running work, then closes the HTTP face. */
  stop(options?: { readonly timeout?: number }): Promise<void>;
}

/** Scheduler, HTTP face and, where asked for, the demonstration, in one process. */
export async function runServer(settings: ServeSettings, env: NodeJS.ProcessEnv): Promise<RunningServer> {
  const clock = systemClock();
  const shop = shopTasks(new Shop(), Math.random);
  const own = settings.tasks === null ? [] : await loadTasks(settings.tasks);
  const tasks: readonly AnyTask[] = [...BUILT_IN_TASKS, ...own, ...(settings.demo ? shopTaskList(shop) : [])];
  const logger = loggerFrom((settings.logLevel ?? undefined) as LogLevel | undefined);
  const scheduler = await createScheduler({
    store: settings.db,
    tasks,
    queues: { ...(settings.demo ? SHOP_QUEUES : {}), ...settings.queues },
    logger,
  });
  let server: Server;
  let url: string;
  try {
    server = createServer({
      scheduler,
      host: settings.host,
      port: settings.port,
      tokens: await tokensFromEnv(env),
      logger,
    });
    // Listens before it dispatches: readiness says when, and liveness is there from the first moment.
    ({ url } = await server.listen());
    await scheduler.start();
  } catch (error) {
    await scheduler.stop({ timeout: 0 });
    throw error;
  }
  const traffic = settings.demo
    ? new Traffic({
        scheduler,
        tasks: shop,
        clock,
        random: Math.random,
        onError: (error) => logger.warn({ err: error }, "the demonstration could not submit"),
      })
    : null;
  traffic?.start();
  return {
    url,
    scheduler,
    async stop(options = {}) {
      traffic?.stop();
      await scheduler.stop(options);
      await server.close();
    },
  };
}

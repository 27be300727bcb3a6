import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { loadDriver } from "./driver/load.ts";
import { ledgerError, toWire } from "./errors.ts";
import { pollDelay } from "./link/link.ts";
import type { FromThread, ThreadStart, ToThread } from "./link/messages.ts";
import { bootClock } from "./process/lease-clock.ts";
import { backupTo } from "./reader/backup.ts";
import { Reader } from "./reader/reader.ts";
import { Writer } from "./writer/writer.ts";

/**
 * The ledger's threads. The writer takes one commit after the other from its port; answers go out before the log is copied back. Between
 * commits it looks for other processes' writes once a second: that is its only timer.
 */
type Port = NonNullable<typeof parentPort>;

function send(port: Port, message: FromThread): void {
  port.postMessage(message);
}

function runWriter(port: Port, { settings }: ThreadStart): void {
  const writer = new Writer(loadDriver(settings.driver ?? undefined), settings, bootClock, {
    wake: () => send(port, { kind: "wake" }),
    fatal: (error) => send(port, { kind: "fatal", error }),
  });
  let timer: NodeJS.Timeout | null = null;
  const poll = (): void => {
    const late = writer.poll();
    if (late.length > 0) send(port, { kind: "ping", nodes: late });
    timer = setTimeout(poll, pollDelay());
  };
  port.on("message", (message: ToThread) => {
    switch (message.kind) {
      case "commit":
        send(port, { kind: "committed", reply: writer.commit(message.calls) });
        writer.settleDown();
        return;
      case "pong":
        writer.renewLate(message.nodes);
        return;
      case "close":
        if (timer !== null) clearTimeout(timer);
        void writer.close().then(() => port.close());
        return;
      case "read":
        return;
    }
  });
  send(port, { kind: "open", pragmas: writer.pragmas() });
  timer = setTimeout(poll, pollDelay());
}

function runReader(port: Port, { settings }: ThreadStart): void {
  const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const reader = new Reader(loadDriver(settings.driver ?? undefined), settings, bootClock, breathe);
  port.on("message", (message: ToThread) => {
    if (message.kind === "close") {
      reader.close();
      port.close();
    } else if (message.kind === "read") {
      const { number, name, args } = message;
      reader.answer(name, args as never).then(
        (answer) => send(port, { kind: "answer", number, answer }),
        (error) =>
          send(port, { kind: "failed", number, error: toWire(ledgerError(error, settings.file, "reading it")) }),
      );
    }
  });
  send(port, { kind: "open", pragmas: {} });
}

function runBackup(port: Port, { settings, target }: ThreadStart): void {
  const bytes = backupTo(loadDriver(settings.driver ?? undefined), settings, target ?? "");
  port.on("message", (message: ToThread) => {
    if (message.kind === "close") port.close();
  });
  send(port, { kind: "open", pragmas: {} });
  send(port, { kind: "copied", bytes });
}

function run(port: Port, start: ThreadStart): void {
  try {
    switch (start.role) {
      case "writer":
        runWriter(port, start);
        return;
      case "reader":
        runReader(port, start);
        return;
      case "backup":
        runBackup(port, start);
        return;
    }
  } catch (error) {
    send(port, { kind: "refused", error: toWire(ledgerError(error, start.settings.file, "opening it")) });
    port.close();
  }
}

if (!isMainThread && parentPort !== null) run(parentPort, workerData as ThreadStart);

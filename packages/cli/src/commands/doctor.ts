import { GivewayError } from "@giveway/kernel";
import type { Context } from "../context.ts";
import { terminalText } from "../output/terminal-text.ts";
import { type AddCommand, withContext } from "./command-kit.ts";

interface Finding {
  readonly check: string;
  readonly level: "ok" | "warning" | "problem";
  readonly text: string;
}

/** Looks a server over, or a ledger file by itself; exit code 1 where something is wrong, warnings are only said. */
export const addDoctor: AddCommand = (program, surroundings) => {
  program
    .command("doctor")
    .description("look a running server over, or with --db a ledger file by itself")
    .option("--db <url>", "check this ledger instead of a server, such as sqlite:./data/giveway.db")
    .action(withContext(surroundings, run));
};

async function run(context: Context, flags: { readonly db?: string }): Promise<void> {
  const { out } = context;
  const findings = flags.db === undefined ? await serverFindings(context) : await ledgerFindings(flags.db);
  const problems = findings.filter((finding) => finding.level === "problem");
  out.answer({ ok: problems.length === 0, findings }, () =>
    findings.map((finding) => `${mark(context, finding)} ${finding.check}: ${terminalText(finding.text)}`),
  );
  if (problems.length > 0)
    throw new GivewayError("internal", `doctor found ${problems.length} problem${problems.length === 1 ? "" : "s"}`);
}

function mark({ out }: Context, { level }: Finding): string {
  if (level === "ok") return "ok     ";
  return level === "warning" ? out.bold("warning") : out.red("problem");
}

async function serverFindings({ client }: Context): Promise<readonly Finding[]> {
  await client.live();
  const [ready, types, queues, nodes] = await Promise.all([
    client.ready().then(
      () => null,
      (error: unknown) => error,
    ),
    client.types(),
    client.queues(),
    client.nodes(),
  ]);
  const open = types.items.filter((type) => !type.derivesId).map((type) => type.type);
  const overridden = queues.items.flatMap((queue) =>
    queue.overrides.map((one) => `${queue.name}.${one.key} by ${one.by} since ${one.at}`),
  );
  const breaches = queues.items
    .filter((queue) => queue.bounds.order.breaches + queue.bounds.share.breaches > 0)
    .map((queue) => queue.name);
  const lost = nodes.items.filter((node) => !node.alive).map((node) => node.label);
  const stopped = queues.items.flatMap((queue) => queue.types.filter((type) => type.stopped).map((type) => type.type));
  return [
    { check: "server", level: "ok", text: `answers at ${client.url}` },
    ready === null
      ? { check: "ready", level: "ok", text: "the node dispatches" }
      : { check: "ready", level: "problem", text: ready instanceof Error ? ready.message : String(ready) },
    finding("nodes", lost, "warning", "all are alive", (names) => `not alive: ${names}`),
    finding("bounds", breaches, "problem", "no waiting bound was broken", (names) => `broken in ${names}`),
    finding(
      "types",
      stopped,
      "problem",
      "none is stopped by handlers that hang",
      (names) => `stopped by handlers that hang: ${names}`,
    ),
    finding(
      "idempotency",
      open,
      "warning",
      "every type derives its id from its payload",
      (names) => `these types leave it to the caller (an \`id\` function in defineTask closes it): ${names}`,
    ),
    finding(
      "overrides",
      overridden,
      "warning",
      "no setting is overridden",
      (names) => `live settings that win over code: ${names}`,
    ),
  ];
}

function finding(
  check: string,
  names: readonly string[],
  level: "warning" | "problem",
  good: string,
  bad: (names: string) => string,
): Finding {
  return names.length === 0 ? { check, level: "ok", text: good } : { check, level, text: bad(names.join(", ")) };
}

async function ledgerFindings(db: string): Promise<readonly Finding[]> {
  const { openLedger } = await import("giveway");
  const store = openLedger(db, { existing: true });
  await store.open();
  try {
    const [faults, info] = await Promise.all([store.check(), store.info()]);
    const settings = Object.entries(info.settings).map(([name, value]) => `${name}=${value}`);
    return [
      faults.length === 0
        ? { check: "integrity", level: "ok", text: "sound" }
        : { check: "integrity", level: "problem", text: faults.join("; ") },
      { check: "schema", level: "ok", text: `version ${info.schemaVersion}, ${info.engineVersion}` },
      { check: "settings", level: "ok", text: settings.join(", ") },
      { check: "size", level: "ok", text: `${info.bytes} bytes` },
    ];
  } finally {
    await store.close();
  }
}

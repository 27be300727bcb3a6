import type { OpenDriver } from "../driver/driver.ts";
import type { LedgerSettings } from "../options.ts";
import { bootClock } from "../process/lease-clock.ts";
import type { LeaseNow } from "../queries/nodes.ts";
import { backupTo } from "../reader/backup.ts";
import { Reader } from "../reader/reader.ts";
import type { WriteCall } from "../wire/calls.ts";
import type { ReadAnswer, ReadArgs, ReadName } from "../wire/reads.ts";
import { type CommitReply, Writer } from "../writer/writer.ts";
import { type Link, type LinkEvents, type OpenReport, pollDelay } from "./link.ts";

/** Both connections on the calling thread. Commits block it for the time of a sync: for tests and short commands. */
export class InlineLink implements Link {
  readonly #open: () => OpenDriver;
  readonly #settings: LedgerSettings;
  readonly #events: LinkEvents;
  readonly #leaseNow: LeaseNow;
  #writer: Writer | null = null;
  #reader: Reader | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(open: () => OpenDriver, settings: LedgerSettings, events: LinkEvents, leaseNow: LeaseNow = bootClock) {
    this.#open = open;
    this.#settings = settings;
    this.#events = events;
    this.#leaseNow = leaseNow;
  }

  async open(): Promise<OpenReport> {
    this.#writer = new Writer(this.#open(), this.#settings, this.#leaseNow, this.#events);
    this.#schedulePoll();
    return { pragmas: this.#writer.pragmas() };
  }

  async commit(calls: readonly WriteCall[]): Promise<CommitReply> {
    const writer = this.#openWriter();
    const reply = writer.commit(calls);
    writer.settleDown();
    return reply;
  }

  async read<Name extends ReadName>(name: Name, args: ReadArgs<Name>): Promise<ReadAnswer<Name>> {
    this.#openWriter();
    this.#reader ??= new Reader(this.#open(), this.#settings, this.#leaseNow, () => Promise.resolve());
    return this.#reader.answer(name, args);
  }

  async backup(target: string): Promise<number> {
    this.#openWriter();
    return backupTo(this.#open(), this.#settings, target);
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#reader?.close();
    await this.#writer?.close();
    this.#reader = null;
    this.#writer = null;
  }

  #openWriter(): Writer {
    if (this.#writer === null) throw new Error("the link is not open");
    return this.#writer;
  }

  #schedulePoll(): void {
    this.#timer = setTimeout(() => {
      this.#writer?.renewLate(this.#writer.poll());
      this.#schedulePoll();
    }, pollDelay());
    this.#timer.unref();
  }
}

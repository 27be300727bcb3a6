import type { Clock, Random, TimerHandle } from "@giveway/kernel";
import type { Scheduler } from "giveway";
import type { ShopTasks } from "./shop.ts";

const BEAT_MS = 200;
const DAY_MS = 86_400_000;
/** Above so many waiting notifications the shop sends no more adverts: a demonstration must not fill a disk. */
const ENOUGH_WAITING = 60;
/** An unpaid order is closed after so long (15 minutes in a real shop). */
const PAY_WITHIN = "15s";

export interface TrafficPorts {
  readonly scheduler: Pick<Scheduler, "submit" | "stats">;
  readonly tasks: ShopTasks;
  readonly clock: Clock;
  readonly random: Random;
  /** Told what could not be submitted, so that a stopping scheduler is no crash. */
  readonly onError: (error: unknown) => void;
}

/** Sends the shop's customers: one beat every 200 ms, in each a few of them by chance. */
export class Traffic {
  readonly #ports: TrafficPorts;
  #timer: TimerHandle | null = null;
  #nextOrder: number;
  #reports = 0;
  #stopped = false;

  constructor(ports: TrafficPorts) {
    this.#ports = ports;
    // Order numbers go on rising over restarts, so that ids of an earlier run are not met again.
    this.#nextOrder = Math.floor(ports.clock.now() / 100) % 10_000_000_000;
  }

  start(): void {
    if (!this.#stopped) this.#arm();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** One beat: public, so that a test can play it without waiting. */
  async beat(): Promise<void> {
    const { random, scheduler } = this.#ports;
    const waiting = (await scheduler.stats()).backlog;
    const sends: Promise<unknown>[] = [];
    if (random() < 0.5) sends.push(...this.#order());
    if (waiting < ENOUGH_WAITING) sends.push(...this.#adverts(1 + Math.floor(random() * 4)));
    if (random() < 0.06) sends.push(this.#fraud());
    if (random() < 0.01) sends.push(this.#report());
    await Promise.all(sends);
  }

  #arm(): void {
    this.#timer = this.#ports.clock.setTimer(() => {
      this.beat()
        .catch(this.#ports.onError)
        .finally(() => {
          if (!this.#stopped) this.#arm();
        });
    }, BEAT_MS);
  }

  #order(): Promise<unknown>[] {
    const { scheduler, tasks, random } = this.#ports;
    const orderId = this.#number();
    const sends: Promise<unknown>[] = [
      scheduler.submit(
        tasks.closeOrder,
        { orderId },
        { delay: PAY_WITHIN, name: `close order ${orderId} unless paid` },
      ),
    ];
    if (random() < 0.8) {
      sends.push(
        scheduler.submit(
          tasks.chargePayment,
          { orderId },
          { delay: Math.floor(random() * 6000), name: `charge order ${orderId}` },
        ),
      );
      sends.push(
        scheduler.submit(
          tasks.sendNotification,
          { orderId, kind: "receipt" },
          { name: `receipt for order ${orderId}` },
        ),
      );
    }
    return sends;
  }

  #adverts(count: number): Promise<unknown>[] {
    const { scheduler, tasks } = this.#ports;
    return Array.from({ length: count }, () => {
      const orderId = this.#number();
      return scheduler.submit(
        tasks.sendNotification,
        { orderId, kind: "advert" },
        { weight: "low", name: `advert ${orderId}` },
      );
    });
  }

  #fraud(): Promise<unknown> {
    const orderId = this.#number();
    return this.#ports.scheduler.submit(
      this.#ports.tasks.fraudAlert,
      { orderId },
      { name: `fraud alert for order ${orderId}` },
    );
  }

  #report(): Promise<unknown> {
    const { scheduler, tasks, clock } = this.#ports;
    this.#reports += 1;
    const day = new Date(clock.now() - DAY_MS).toISOString().slice(0, 10);
    return scheduler.submit(
      tasks.nightlyReport,
      { day: `${day}#${this.#number()}` },
      { name: `report for ${day}, run ${this.#reports}` },
    );
  }

  #number(): number {
    this.#nextOrder += 1;
    return this.#nextOrder;
  }
}

import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { GivewayError } from "@giveway/kernel";
import type { Ballast } from "./ballast.ts";

/** How free space is asked; tests put another in. Bytes that this process may use. */
export type FreeBytes = (folder: string) => number;

/** The volume is asked at most this often, ms. */
const CHECK_EVERY = 1_000;

/**
 * Keeps the last bytes of the disk for tasks that are running (D6, V-39): new ones are refused below a mark, and after a write found the disk
 * full, until there is room again. Each refusal is cheap and says why; nothing is tried that would fail.
 */
export class SpaceGuard {
  readonly #file: string;
  readonly #minFree: number;
  readonly #ballast: Ballast;
  readonly #freeBytes: FreeBytes;
  readonly #clock: () => number;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #low = false;
  #free = 0;
  #full = false;

  constructor(
    file: string,
    minFree: number,
    ballast: Ballast,
    freeBytes: FreeBytes = freeOnVolume,
    clock: () => number = () => performance.now(),
  ) {
    this.#file = file;
    this.#minFree = minFree;
    this.#ballast = ballast;
    this.#freeBytes = freeBytes;
    this.#clock = clock;
  }

  /** Why no new task can be stored now, or null. */
  refusal(): GivewayError | null {
    this.check();
    if (!this.#low && !this.#full) return null;
    const why = this.#full
      ? "the disk was found full"
      : `${this.#free} bytes are free, ${this.#minFree} are kept for running tasks`;
    return new GivewayError(
      "ledger_full",
      `no new task can be stored in ${this.#file}: ${why}; free some space, running tasks go on meanwhile`,
      { subject: this.#file, retryAfter: CHECK_EVERY },
    );
  }

  /** A write failed for want of space. Gives up the ballast, where that may let others through. */
  foundFull(dropBallast: boolean): boolean {
    this.#full = true;
    this.#checkedAt = this.#clock();
    return dropBallast && this.#ballast.drop();
  }

  /** Looks at the volume, unless it was looked at just now; makes the ballast where there is room for it. */
  check(): void {
    const now = this.#clock();
    if (now - this.#checkedAt < CHECK_EVERY) return;
    this.#checkedAt = now;
    this.#free = this.#freeBytes(dirname(this.#file));
    this.#low = this.#free < this.#minFree;
    // A full disk that still reports too little stays full; anything else is worth one more try.
    if (!this.#low) this.#full = false;
    if (!this.#ballast.present() && this.#free >= this.#minFree + 2 * this.#ballast.bytes) this.#ballast.make();
  }
}

export function freeOnVolume(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // A volume that can't be asked is not taken for a full one.
    return Number.MAX_SAFE_INTEGER;
  }
}

import { randomFillSync } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";

const CHUNK = 1024 * 1024;

/**
 * A file beside the ledger that only takes up room (D6). When the disk is full SQLite can't even record that a task ended, since that needs
 * new pages too; deleting the ballast gives it some, so that running tasks can finish. It is made again once there is room.
 */
export class Ballast {
  readonly #path: string;
  readonly #bytes: number;
  #making: Promise<void> | null = null;
  #closed = false;

  constructor(file: string, bytes: number) {
    this.#path = `${file}-ballast`;
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  present(): boolean {
    return this.#bytes === 0 || existsSync(this.#path);
  }

  /** False where there was none to drop. */
  drop(): boolean {
    if (this.#bytes === 0 || !existsSync(this.#path)) return false;
    rmSync(this.#path, { force: true });
    return true;
  }

  /** Makes it in the background, a chunk at a time. Failing is no error: without it the ledger works as well, until the disk is full. */
  make(): void {
    if (this.#closed || this.#making !== null || this.present()) return;
    this.#making = this.#write().finally(() => {
      this.#making = null;
    });
  }

  /** Nothing is being written any more afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#making;
  }

  async #write(): Promise<void> {
    const partial = `${this.#path}.partial`;
    try {
      const handle = await open(partial, "w");
      try {
        // Random bytes: a file system that compresses would store zeros as nothing.
        const chunk = randomFillSync(Buffer.allocUnsafe(Math.min(CHUNK, this.#bytes)));
        for (let left = this.#bytes; left > 0 && !this.#closed; left -= chunk.length) {
          await handle.write(chunk, 0, Math.min(left, chunk.length));
        }
      } finally {
        await handle.close();
      }
      if (this.#closed) await rm(partial, { force: true });
      else await rename(partial, this.#path);
    } catch {
      await rm(partial, { force: true }).catch(() => {});
    }
  }
}

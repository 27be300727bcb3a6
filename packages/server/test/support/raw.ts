import { connect, type Socket } from "node:net";

/** One connection written to byte by byte, for requests that no client would send. */
export class Raw {
  readonly socket: Socket;
  #text = "";
  #waiting: (() => void)[] = [];
  #isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      this.#text += chunk;
      this.#notify();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#isClosed = true;
      this.#notify();
    });
  }

  static async open(port: number): Promise<Raw> {
    const socket = connect(port, "127.0.0.1");
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new Raw(socket);
  }

  get text(): string {
    return this.#text;
  }

  write(text: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(text, () => resolve()));
  }

  /** Resolves once `fits` holds for what came so far; rejects where the connection closes before. */
  async until(fits: (text: string) => boolean): Promise<string> {
    while (!fits(this.#text)) {
      if (this.#isClosed) throw new Error(`the connection closed after ${JSON.stringify(this.#text)}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#text;
  }

  /** The first whole answer. */
  answer(): Promise<string> {
    return this.until(isWhole);
  }

  async closed(): Promise<string> {
    while (!this.#isClosed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#text;
  }

  #notify(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function isWhole(text: string): boolean {
  const [head, ...rest] = text.split("\r\n\r\n");
  if (rest.length === 0) return false;
  const length = /^content-length: (\d+)/im.exec(head ?? "")?.[1];
  return Buffer.byteLength(rest.join("\r\n\r\n")) >= Number(length ?? 0);
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
/** The JSON body of the first answer. */
export function jsonOf(answer: string): Record<string, unknown> {
  const length = Number(/^content-length: (\d+)/im.exec(answer)?.[1]);
  const body = Buffer.from(answer.slice(answer.indexOf("\r\n\r\n") + 4));
  return JSON.parse(body.subarray(0, length).toString("utf8"));
}

import { type Column, tableLines } from "./table.ts";
import { terminalText } from "./terminal-text.ts";

export interface OutputStreams {
  readonly stdout: NodeJS.WritableStream & { readonly columns?: number; readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
}

/** Where commands print: people get text, programs (`--json`) one JSON document and nothing else on stdout. */
export class Output {
  readonly json: boolean;
  readonly #streams: OutputStreams;
  readonly #colours: boolean;

  constructor(streams: OutputStreams, options: { readonly json: boolean; readonly env: NodeJS.ProcessEnv }) {
    this.#streams = streams;
    this.json = options.json;
    const noColour = options.env["NO_COLOR"];
    this.#colours = streams.stdout.isTTY === true && (noColour === undefined || noColour === "");
  }

  get isTerminal(): boolean {
    return this.#streams.stdout.isTTY === true;
  }

  get width(): number {
    return this.#streams.stdout.columns ?? 120;
  }

  /** The one document of a `--json` run, or the text for people. */
  answer(document: unknown, text: () => readonly string[]): void {
    if (this.json) this.#streams.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    else for (const line of text()) this.line(line);
  }

  /** One line for people; the caller has made data in it safe. */
  line(text: string): void {
    this.#streams.stdout.write(`${text}\n`);
  }

  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty: string): readonly string[] {
    if (rows.length === 0) return [empty];
    const [head, ...body] = tableLines(columns, rows, this.width);
    return [this.bold(head ?? ""), ...body];
  }

  /** A remark beside the answer: never on stdout, so that `--json` stays one document. */
  note(text: string): void {
    this.#streams.stderr.write(`${terminalText(text)}\n`);
  }

  bold(text: string): string {
    return this.#paint("1", text);
  }
  dim(text: string): string {
    return this.#paint("2", text);
  }
  red(text: string): string {
    return this.#paint("31", text);
  }

  #paint(code: string, text: string): string {
    return this.#colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

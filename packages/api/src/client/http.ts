import { GivewayError } from "@giveway/kernel";
import { ApiError, problemFrom } from "./api-error.ts";

export interface ClientOptions {
  /** Where the server is, with the path it is mounted under, if any: `http://127.0.0.1:7700`. */
  readonly url: string | URL;
  readonly token?: string;
  /** Default: the platform's own. */
  readonly fetch?: typeof globalThis.fetch;
  /** ms to wait for an answer; default 30 s. Event streams are not bound by it. */
  readonly timeout?: number;
}

export interface HttpRequest {
  readonly method: string;
  /** From the root of the API, with its query string. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends one request and answers the response once it is known to be a good one; everything else is a coded error of one line. */
export class Http {
  readonly #base: string;
  readonly #token: string | undefined;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeout: number;

  constructor(options: ClientOptions) {
    this.#base = baseOf(options.url);
    this.#token = options.token;
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#timeout = options.timeout ?? 30_000;
  }

  get base(): string {
    return this.#base;
  }

  async json<Answer>(request: HttpRequest): Promise<Answer> {
    const response = await this.send(request);
    if (response.status === 204) return undefined as Answer;
    const body = await this.#jsonBody(response);
    if (body === undefined) throw this.#unexpected(response);
    return body as Answer;
  }

  async text(request: HttpRequest): Promise<string> {
    const response = await this.send(request);
    return await this.#reading(response.text());
  }

  async send(request: HttpRequest, timeout: number | null = this.#timeout): Promise<Response> {
    const signals = [request.signal, timeout === null ? undefined : AbortSignal.timeout(timeout)];
    const given = signals.filter((signal) => signal !== undefined);
    const response = await this.#reading(
      this.#fetch(`${this.#base}${request.path}`, {
        method: request.method,
        redirect: "error",
        headers: {
          accept: "application/json, application/problem+json, text/*;q=0.9",
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(request.body === undefined ? {} : { "content-type": "application/json" }),
          ...request.headers,
        },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        ...(given.length === 0 ? {} : { signal: AbortSignal.any(given) }),
      }),
      request.signal,
    );
    if (response.ok) return response;
    const problem = problemFrom(await this.#jsonBody(response), response.status);
    if (problem === null) throw this.#unexpected(response);
    throw new ApiError(problem, retryAfterOf(response));
  }

  async #jsonBody(response: Response): Promise<unknown> {
    const type = response.headers.get("content-type") ?? "";
    const text = await this.#reading(response.text());
    if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  #unexpected(response: Response): GivewayError {
    const type = response.headers.get("content-type") ?? "no content type";
    return new GivewayError(
      "unexpected_answer",
      `${this.#base} answered ${response.status} with ${type}, which is no answer of Giveway; is the address right?`,
      { subject: this.#base },
    );
  }

  /** Turns whatever the transport throws into one line that names the address. The caller's own abort passes as it is. */
  async #reading<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (error instanceof Error && error.name === "TimeoutError") {
        throw new GivewayError("request_timeout", `${this.#base} did not answer within ${this.#timeout} ms`, {
          subject: this.#base,
          cause: error,
        });
      }
      throw new GivewayError(
        "server_unreachable",
        `can't reach ${this.#base}: ${causeOf(error)}; is the server running there?`,
        { subject: this.#base, cause: error },
      );
    }
  }
}

function baseOf(url: string | URL): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new GivewayError("invalid_option", `url: expected an address such as http://127.0.0.1:7700; got "${url}"`, {
      field: "url",
    });
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new GivewayError("invalid_option", `url: expected http:// or https://; got "${url}"`, { field: "url" });
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`;
}

const KNOWN: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name can't be resolved now",
  ECONNRESET: "the connection broke off",
  UND_ERR_SOCKET: "the connection broke off",
  ETIMEDOUT: "no connection within the time",
  UND_ERR_CONNECT_TIMEOUT: "no connection within the time",
  EHOSTUNREACH: "no route to the host",
  EPIPE: "the connection broke off",
};

/** `fetch failed` says nothing: the cause does, possibly one of several addresses tried. */
function causeOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error) {
    const inner = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : null;
    if (code !== null && KNOWN[code] !== undefined) return `${KNOWN[code]} (${code})`;
    if (!(inner instanceof Error)) return cause.message.split("\n", 1)[0]!;
    cause = inner;
  }
  return String(error);
}

/** `Retry-After` in ms: seconds or an HTTP date. */
function retryAfterOf(response: Response): number | undefined {
  const value = response.headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

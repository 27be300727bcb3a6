import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { rawProblem } from "./problems.ts";

interface ClientError extends Error {
  readonly code?: string;
}

/**
 * Answers what Node's own parser refuses: such a request never reaches a route. Where the nonsense follows a complete request, that one is
 * answered first; where it is within a request's body, this is the answer to it.
 */
export class ClientErrors {
  readonly #responses = new WeakMap<Socket, ServerResponse>();

  /** The response under way on a connection: bytes that are no request may follow a good one. */
  track(response: ServerResponse): void {
    if (response.socket !== null) this.#responses.set(response.socket, response);
  }

  answer(error: ClientError, socket: Socket): void {
    if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
      socket.destroy();
      return;
    }
    const finish = () => socket.end(answerTo(error.code), () => socket.destroy());
    const before = this.#responses.get(socket);
    if (before === undefined || before.writableFinished) finish();
    else if (before.headersSent) socket.destroy();
    else if (before.req.complete) before.once("finish", finish);
    else finish();
  }
}

function answerTo(code: string | undefined): string {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return rawProblem("headers_too_large", "the request line and headers are larger than the server takes");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return rawProblem("request_timeout", "the request did not arrive completely within the time allowed");
    default:
      return rawProblem("bad_request", "this is not a valid HTTP request");
  }
}

import type { FastifyReply } from "fastify";
import type { EventFeed, Start } from "./event-feed.ts";

/** Bytes that may wait for a slow reader. Beyond that its stream is ended: it comes back with its last id and catches up. */
const MAX_WAITING = 4 * 1024 * 1024;

/** Takes a reply over and streams events to it until either side ends it. */
export function streamEvents(feed: EventFeed, reply: FastifyReply, start: Start): void {
  const response = reply.raw;
  let isBegun = false;
  const sink = {
    write(text: string) {
      if (!isBegun) begin();
      response.write(text);
      if (response.writableLength > MAX_WAITING) response.destroy();
    },
    end: () => response.end(),
  };
  function begin(): void {
    isBegun = true;
    reply.hijack();
    response.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      // Asks proxies that buffer by default not to.
      "x-accel-buffering": "no",
    });
  }
  const leave = feed.open(sink, start);
  if (response.destroyed) leave();
  else response.once("close", leave);
}

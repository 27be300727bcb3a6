import type { Scheduler } from "@giveway/engine";
import type { EventFeed } from "../events/event-feed.ts";
import { streamEvents } from "../events/stream-response.ts";
import type { Part } from "../http/handler.ts";
import { prometheusText, TEXT_FORMAT } from "../metrics/prometheus.ts";

export function nodeHandlers(scheduler: Scheduler, feed: EventFeed): Part<"getStats" | "streamEvents" | "getMetrics"> {
  return {
    async getStats() {
      return { body: await scheduler.stats() };
    },

    streamEvents({ query, request, reply }) {
      const last = request.headers["last-event-id"];
      streamEvents(feed, reply, { lastEventId: typeof last === "string" ? last : null, recent: query.recent ?? 0 });
      return null;
    },

    async getMetrics() {
      return { mediaType: TEXT_FORMAT, text: await prometheusText(await scheduler.metrics()) };
    },
  };
}

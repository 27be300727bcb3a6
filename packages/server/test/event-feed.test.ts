import type { TaskEventView } from "@giveway/engine";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventFeed } from "../src/events/event-feed.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function feedOf() {
  const listeners = new Set<(event: TaskEventView) => void>();
  const feed = new EventFeed({
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    nodeId: () => "n",
    keep: 10,
    streams: 10,
    heartbeat: 1000,
    linger: 5000,
  });
  let n = 0;
  const emit = () => {
    n += 1;
    for (const listener of listeners) listener({ n } as TaskEventView);
  };
  const open = (lastEventId: string | null = null, recent = 0) => {
    const written: string[] = [];
    const leave = feed.open(
      { write: (text) => written.push(text), end: () => written.push("end") },
      { lastEventId, recent },
    );
    return {
      written,
      leave,
      ids: () => [...written.join("").matchAll(/^id: n\.(\d+)$/gm)].map(([, id]) => Number(id)),
    };
  };
  return { feed, emit, open, listeners };
}

describe("the event feed", () => {
  it("writes what one turn brings at once", () => {
    const { emit, open } = feedOf();
    const { written, ids } = open();
    for (let count = 0; count < 5; count += 1) emit();
    expect(written).toHaveLength(1);
    vi.runAllTicks();
    vi.advanceTimersByTime(0);
    expect(written).toHaveLength(2);
    expect(ids()).toEqual([1, 2, 3, 4, 5]);
  });

  it("tells a stream that opens in between every event once", () => {
    const { emit, open } = feedOf();
    const first = open();
    emit();
    const recent = open(null, 10);
    const resumed = open("n.0");
    emit();
    vi.advanceTimersByTime(0);
    for (const one of [first, recent, resumed]) expect(one.ids()).toEqual([1, 2]);
  });

  it("beats while it is silent, and as long as anybody watches", () => {
    const { emit, open, listeners } = feedOf();
    const one = open();
    const two = open();
    const beats = () => two.written.filter((text) => text === ": beat\n\n").length;
    vi.advanceTimersByTime(3000);
    expect(beats()).toBe(3);
    emit();
    vi.advanceTimersByTime(1000);
    expect(beats()).toBe(3);
    one.leave();
    one.leave();
    vi.advanceTimersByTime(20_000);
    expect(beats()).toBe(23);
    expect(listeners.size).toBe(1);
    two.leave();
    vi.advanceTimersByTime(4999);
    expect(listeners.size).toBe(1);
    vi.advanceTimersByTime(1);
    expect(listeners.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a stream that comes back in time keeps it listening", () => {
    const { emit, open, listeners } = feedOf();
    open().leave();
    vi.advanceTimersByTime(4000);
    emit();
    const back = open("n.0");
    vi.advanceTimersByTime(60_000);
    expect(listeners.size).toBe(1);
    expect(back.ids()).toEqual([1]);
    expect(back.written.join("")).not.toContain("gap");
  });

  it("hands over what it holds, ends all streams and leaves nothing behind", () => {
    const { feed, emit, open, listeners } = feedOf();
    const { written, ids } = open();
    emit();
    feed.close();
    expect(ids()).toEqual([1]);
    expect(written.at(-1)).toBe("end");
    expect(listeners.size).toBe(0);
    vi.advanceTimersByTime(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

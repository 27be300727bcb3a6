import { makeProblem } from "@giveway/api";
import type { Scheduler } from "@giveway/engine";
import type { FastifyReply } from "fastify";
import type { Call, Part } from "../http/handler.ts";
import { sendFailure } from "../http/problems.ts";

type HealthOperation = "livez" | "readyz" | "healthz";

/** For probes. A closing server is alive and not ready, so that a balancer turns away before the connections end. */
export function healthHandlers(scheduler: Scheduler, isClosing: () => boolean): Part<HealthOperation> {
  const stateNow = () => {
    const { live, ready, reasons } = scheduler.health();
    if (!isClosing()) return { live, ready, reasons };
    return { live, ready: false, reasons: [...reasons, "the server is closing"] };
  };
  const answer = (reply: FastifyReply, isGood: (state: ReturnType<typeof stateNow>) => boolean) => {
    const state = stateNow();
    if (isGood(state)) return { body: { status: "ok" as const, ...state } };
    const detail = state.reasons.length === 0 ? "the node does not dispatch" : state.reasons.join("; ");
    const problem = { ...makeProblem("not_ready", detail), ...state };
    sendFailure(reply, { problem, headers: { "retry-after": "1" }, unexpected: false });
    return null;
  };
  return {
    livez: ({ reply }: Call<"livez">) => answer(reply, ({ live }) => live),
    readyz: ({ reply }: Call<"readyz">) => answer(reply, ({ ready }) => ready),
    healthz: ({ reply }: Call<"healthz">) => answer(reply, ({ live, ready }) => live && ready),
  };
}

import type { ProcessFacts } from "../process/identity.ts";
import { prepareChange } from "../queries/change.ts";
import { prepareClaim } from "../queries/claim.ts";
import { prepareInsert } from "../queries/insert.ts";
import {
  type LeaseNow,
  prepareDeclareDead,
  prepareForget,
  prepareRegister,
  prepareRenew,
  prepareTakeSignals,
} from "../queries/nodes.ts";
import { preparePrune } from "../queries/prune.ts";
import { prepareRemove } from "../queries/remove.ts";
import { prepareMarkStarted, prepareSaveProgress } from "../queries/running.ts";
import { prepareOverride } from "../queries/settings.ts";
import { prepareSettle } from "../queries/settle.ts";
import type { BeatReply, WriteAnswer, WriteArgs, WriteName } from "../wire/calls.ts";
import type { WriteContext } from "./context.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";

export type Operations = { readonly [Name in WriteName]: (args: WriteArgs<Name>) => WriteAnswer<Name> };

/** All writes, prepared once on the writing connection. Each runs inside the transaction that the writer has begun. */
export function prepareOperations(
  context: WriteContext,
  keeper: LeaseKeeper,
  own: ProcessFacts,
  leaseNow: LeaseNow,
): Operations {
  const { driver } = context;
  const register = prepareRegister(context, own, leaseNow);
  const forget = prepareForget(context);
  return {
    insert: prepareInsert(context),
    claim: prepareClaim(context),
    markStarted: prepareMarkStarted(context),
    settle: prepareSettle(context),
    saveProgress: prepareSaveProgress(context),
    change: prepareChange(context),
    remove: prepareRemove(context),
    override: prepareOverride(driver),
    register(args) {
      keeper.keep(args.node);
      return register(args);
    },
    beat: prepareBeat(context, keeper, leaseNow),
    declareDead: prepareDeclareDead(context),
    forget(args) {
      keeper.drop(args.node);
      return forget(args);
    },
    prune: preparePrune(context),
  };
}

function prepareBeat(
  { driver }: WriteContext,
  keeper: LeaseKeeper,
  leaseNow: LeaseNow,
): (args: { node: string }) => BeatReply {
  const renew = prepareRenew(driver, leaseNow);
  const takeSignals = prepareTakeSignals(driver);
  return ({ node }) => {
    const waitedForLock = keeper.takeLongestWait();
    if (!renew(node)) return { alive: false, signals: [], waitedForLock };
    keeper.renewed(node);
    return { alive: true, signals: takeSignals(node), waitedForLock };
  };
}

import type { Admission, SlotSettings, SlotUsage, Waiting } from "@giveway/kernel";

/**
 * Who may start, as the semantics word it: the allowed starts in order of preference. Where turns decide (`null` as preference between the
 * lanes) both lanes' starts are allowed here, and the windows of turns are judged apart.
 */
export function allowedStarts(settings: SlotSettings, usage: SlotUsage, waiting: Waiting): Admission[] {
  const { policy, slots, share, burst, burstFor } = settings;
  const freeBase = slots - usage.express - usage.standard > 0;
  const freeBurst = burst - slots - usage.burst > 0;
  const cap = slots === 1 ? 1 : clamp(Math.floor((share * slots) / 100), 1, slots - 1);
  const allowed: Admission[] = [];
  const add = (may: boolean, lane: "express" | "standard", slot: "base" | "burst"): void => {
    if (may && waiting[lane]) allowed.push({ lane, slot });
  };
  switch (policy) {
    case "express":
      add(freeBase && usage.express < cap, "express", "base");
      add(freeBurst, "express", "burst");
      add(freeBase && usage.express >= cap && !waiting.standard, "express", "base");
      add(freeBase, "standard", "base");
      add(freeBurst && burstFor === "all", "standard", "burst");
      break;
    case "isolated":
      add(freeBase && usage.express < cap, "express", "base");
      add(freeBurst, "express", "burst");
      add(freeBase && usage.standard < (slots === 1 ? 1 : slots - cap), "standard", "base");
      add(freeBurst && burstFor === "all", "standard", "burst");
      break;
    case "rotation":
      add(freeBase, "express", "base");
      add(freeBurst && !freeBase, "express", "burst");
      add(freeBase, "standard", "base");
      add(freeBurst && !freeBase && (burstFor === "all" || waiting.express), "standard", "burst");
      break;
    case "ladder":
    case "strict":
    case "fifo":
      add(freeBase, "standard", "base");
      add(freeBurst && !freeBase && burstFor === "all", "standard", "burst");
      break;
  }
  return allowed;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

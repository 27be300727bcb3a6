// @ts-check
// The status page: queues with their lanes, running slots, and what happens, as it happens.
import { byId, duration, element, number, weightChip } from "./elements.js";
import { follow, keepToken, read, Unauthorized } from "./server.js";

const EVERY = 1000;
const NEXT = 6;
const MAX_QUEUES = 12;
const MAX_EVENTS = 80;
const MAX_AHEAD = 4;

/** The last snapshot of each queue, by name: events are told beside it. @type {Map<string, any>} */
const snapshots = new Map();
/** Events held back while the list is paused. @type {any[]} */
const held = [];
let isPaused = false;
let isFollowing = false;
let hasOvertaken = false;

async function refresh() {
  const [queues, slots, stats, nextLists] = await Promise.all([
    read("v1/queues"),
    read("v1/slots"),
    read("v1/stats"),
    Promise.all([...snapshots.keys()].slice(0, MAX_QUEUES).map(nextOf)),
  ]);
  const next = new Map(nextLists);
  snapshots.clear();
  for (const queue of queues.items) snapshots.set(queue.name, queue);
  showFigures(stats);
  byId("queues").replaceChildren(
    ...queues.items.map((/** @type {any} */ queue) => card(queue, slots.items, next.get(queue.name) ?? [])),
  );
  showSlots(slots.items);
}

/** @param {string} name @returns {Promise<[string, any[]]>} */
async function nextOf(name) {
  const { items } = await read(`v1/queues/${encodeURIComponent(name)}/next?limit=${NEXT}`);
  return [name, items];
}

/** @param {any} stats */
function showFigures(stats) {
  /** @type {[string, string][]} */
  const figures = [
    ["waiting", number(stats.backlog)],
    ["delayed", number(stats.delayed)],
    ["running", number(stats.running)],
    ["succeeded", number(stats.succeeded)],
    ["dead", number(stats.dead)],
    ["success", stats.successRate === null ? "–" : `${(stats.successRate * 100).toFixed(1)} %`],
    ["mean wait", stats.meanWait === null ? "–" : duration(stats.meanWait)],
    ["mean run", stats.meanRun === null ? "–" : duration(stats.meanRun)],
  ];
  byId("figures").replaceChildren(
    ...figures.map(([name, value]) => element("div", null, element("dt", null, name), element("dd", null, value))),
  );
}

/**
 * @param {any} queue
 * @param {any[]} slots
 * @param {any[]} next
 */
function card(queue, slots, next) {
  const own = slots.filter((slot) => slot.queue === queue.name);
  const breaches = queue.bounds.order.breaches + queue.bounds.share.breaches;
  return element(
    "article",
    { class: "card" },
    element("h3", null, queue.name, queue.paused ? element("span", { class: "badge paused" }, "paused") : null),
    element(
      "p",
      { class: "hint" },
      `policy ${queue.policy} · express up to ${queue.cap} of ${queue.slots} slots while ordinary work waits` +
        (queue.burst > queue.slots ? ` · ${queue.burst - queue.slots} burst` : ""),
    ),
    slotRow(queue, own),
    lane(queue, "express", "express"),
    lane(queue, "standard", "ordinary"),
    upcoming(next),
    element(
      "p",
      { class: breaches === 0 ? "hint" : "alert" },
      `${number(queue.depth.delayed)} delayed · ${number(queue.ended.succeeded)} succeeded · ${number(queue.ended.dead)} dead · ` +
        (breaches === 0 ? "starvation bounds held" : `${breaches} breaches of the starvation bounds`),
    ),
  );
}

/** One box per slot: what it runs, and the burst slots after a gap. @param {any} queue @param {any[]} own */
function slotRow(queue, own) {
  /** @param {string} kind @param {number} size */
  const boxes = (kind, size) => {
    const used = own.filter((slot) => slot.kind === kind);
    return Array.from({ length: Math.max(size, used.length) }, (_, at) => {
      const slot = used[at];
      if (slot === undefined) return element("span", { class: `slot ${kind}`, title: `free ${kind} slot` });
      const lane = slot.weight >= 7 ? "express" : "standard";
      return element(
        "span",
        { class: `slot ${kind} ${lane}`, title: `${slot.type} ${slot.name ?? slot.task}` },
        slot.weight,
      );
    });
  };
  return element(
    "div",
    { class: "slots" },
    ...boxes("base", queue.slots),
    ...boxes("burst", queue.burst - queue.slots),
  );
}

/** @param {any} queue @param {"express" | "standard"} name @param {string} label */
function lane(queue, name, label) {
  const waiting = queue.depth[name];
  const oldest = queue.oldestWaiting[name];
  const meter = document.createElement("progress");
  meter.className = name;
  meter.max = Math.max(1, queue.depth.express, queue.depth.standard);
  meter.value = waiting;
  return element(
    "div",
    { class: "lane" },
    element("span", null, label),
    meter,
    element("span", null, `${number(waiting)} waiting${oldest === null ? "" : `, first for ${duration(oldest)}`}`),
  );
}

/** @param {any[]} next */
function upcoming(next) {
  if (next.length === 0) return element("p", { class: "hint" }, "nothing waits to start");
  return element(
    "ol",
    { class: "next", title: "the next to start, in this order" },
    ...next.map((task) =>
      element(
        "li",
        null,
        weightChip(task.weight),
        ` ${task.type} `,
        element("span", { class: "hint" }, task.name ?? task.id),
        task.effectiveWeight > task.weight
          ? element("span", { class: "gained", title: "gained by waiting" }, ` +${task.effectiveWeight - task.weight}`)
          : null,
      ),
    ),
  );
}

/** @param {any[]} slots */
function showSlots(slots) {
  const rows = slots.map((slot) =>
    element(
      "tr",
      null,
      element("td", null, weightChip(slot.weight)),
      element("td", null, slot.type, " ", element("span", { class: "hint" }, slot.name ?? slot.task)),
      element(
        "td",
        null,
        slot.queue,
        slot.kind === "base" ? null : element("span", { class: `badge ${slot.kind}` }, slot.kind),
      ),
      element("td", null, slot.attempt),
      element("td", null, slot.settling ? "ending" : duration(Date.now() - Date.parse(slot.startedAt))),
    ),
  );
  byId("slots").replaceChildren(
    ...(rows.length > 0 ? rows : [element("tr", null, element("td", { class: "hint" }, "nothing runs"))]),
  );
}

/** @param {any} event */
function addEvent(event) {
  if (isPaused) {
    held.push(event);
    if (held.length > MAX_EVENTS) held.shift();
    return;
  }
  put(byId("events"), line(event), MAX_EVENTS);
  const waiting = overtaken(event);
  if (waiting === null) return;
  if (!hasOvertaken) byId("ahead").replaceChildren();
  hasOvertaken = true;
  put(byId("ahead"), aheadLine(event, waiting), MAX_AHEAD);
}

/** @param {HTMLElement} list @param {HTMLElement} item @param {number} most */
function put(list, item, most) {
  list.prepend(item);
  while (list.childElementCount > most) list.lastElementChild?.remove();
}

/** @param {any} event */
function line(event) {
  const waiting = overtaken(event);
  return element(
    "li",
    { class: event.kind, title: titleOf(event) },
    clock(event),
    weightChip(event.weight),
    element("b", null, String(event.kind).replaceAll("_", " ")),
    ` ${titleOf(event)} `,
    waiting === null ? null : element("span", { class: "ahead" }, `ahead of ${number(waiting.count)} ordinary `),
    element("span", { class: "hint" }, detail(event)),
  );
}

/** @param {any} event @param {{ count: number, first: number | null }} waiting */
function aheadLine(event, waiting) {
  const first = waiting.first === null ? "" : `, of which the first has waited ${duration(waiting.first)}`;
  return element(
    "li",
    { title: titleOf(event) },
    clock(event),
    weightChip(event.weight),
    element("b", null, titleOf(event)),
    ` started after ${duration(event.data.wait ?? 0)} `,
    element("span", { class: "ahead" }, `ahead of ${number(waiting.count)} ordinary`),
    element("span", { class: "hint" }, ` in ${event.queue}${first}`),
  );
}

/** @param {any} event */
const clock = (event) => element("time", null, new Date(event.at).toLocaleTimeString());

/** @param {any} event */
const titleOf = (event) =>
  [event.type, event.name ?? event.task ?? event.queue].filter((part) => typeof part === "string").join(" ");

/**
 * The ordinary work that an urgent start went ahead of, as of the last look at its queue.
 * @param {any} event
 */
function overtaken(event) {
  if (event.kind !== "started" || event.weight < 7) return null;
  const queue = snapshots.get(event.queue);
  if (queue === undefined || queue.depth.standard === 0) return null;
  return { count: queue.depth.standard, first: queue.oldestWaiting.standard };
}

/** What is worth saying beside an event. @param {any} event */
function detail(event) {
  const { wait, run, delay, nth, error, reason } = event.data;
  /** @type {string[]} */
  const parts = [];
  if (typeof wait === "number") parts.push(`waited ${duration(wait)}`);
  if (typeof run === "number") parts.push(`ran ${duration(run)}`);
  if (typeof nth === "number") parts.push(`retry ${nth}`);
  if (typeof delay === "number") parts.push(`in ${duration(delay)}`);
  if (typeof error?.message === "string") parts.push(error.message);
  if (typeof reason === "string") parts.push(reason);
  return parts.join(" · ");
}

/** @param {number | null} missed */
function addGap(missed) {
  byId("events").prepend(
    element(
      "li",
      { class: "gap" },
      missed === null ? "some events were missed" : `${number(missed)} events were missed`,
    ),
  );
}

/** @param {string} text @param {boolean} isGood */
function showHealth(text, isGood) {
  const pill = byId("health");
  pill.textContent = text;
  pill.className = `pill ${isGood ? "good" : "bad"}`;
}

async function showReadiness() {
  const response = await fetch("readyz");
  const { ready, reasons } = await response.json();
  showHealth(ready === true ? "dispatching" : `not dispatching: ${(reasons ?? []).join("; ")}`, ready === true);
}

async function turn() {
  if (!document.hidden) {
    try {
      await showReadiness();
      await refresh();
      byId("main").hidden = false;
      byId("sign-in").hidden = true;
      if (!isFollowing) {
        isFollowing = true;
        void follow(addEvent, addGap);
      }
    } catch (error) {
      if (error instanceof Unauthorized) {
        byId("sign-in").hidden = false;
        byId("main").hidden = true;
      } else showHealth(`no answer: ${error instanceof Error ? error.message : "unknown"}`, false);
    }
  }
  setTimeout(turn, EVERY);
}

byId("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("token");
  if (!(field instanceof HTMLInputElement)) return;
  keepToken(field.value);
  field.value = "";
});

byId("pause").addEventListener("click", () => {
  isPaused = !isPaused;
  byId("pause").textContent = isPaused ? "Go on" : "Pause";
  byId("pause").setAttribute("aria-pressed", String(isPaused));
  if (!isPaused) for (const event of held.splice(0)) addEvent(event);
});

void turn();

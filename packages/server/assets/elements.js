// @ts-check
// Builds elements. Whatever a task, a queue or an error is called goes in as text and nothing else (V-45).

/**
 * @param {string} tag
 * @param {{ class?: string, title?: string } | null} attributes
 * @param {...(Node | string | number | null)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  if (attributes?.class !== undefined) made.className = attributes.class;
  if (attributes?.title !== undefined) made.title = attributes.title;
  for (const child of children) {
    if (child !== null) made.append(typeof child === "number" ? String(child) : child);
  }
  return made;
}

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}

/** @param {number | null} weight */
export function weightChip(weight) {
  if (weight === null) return null;
  return element("span", { class: `chip ${weight >= 7 ? "express" : "standard"}`, title: `weight ${weight}` }, weight);
}

/**
 * A duration in one or two short words.
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
  return `${Math.floor(ms / 86_400_000)} d ${Math.floor((ms % 86_400_000) / 3_600_000)} h`;
}

/** @param {number} count */
export const number = (count) => count.toLocaleString("en");

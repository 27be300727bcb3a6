/** Longest path and longest key shown in a message. */
const MAX_PATH = 200;
const MAX_KEY = 40;

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

/**
 * A place inside a value as people write it: `payload.items[3].name`, odd keys quoted. Bounded, with the middle left out, because depth and
 * keys may be a stranger's; and free of characters that a terminal or a log would act on.
 */
export function pathText(field: string, keys: readonly (string | number)[]): string {
  let text = field;
  // The two ends are enough to find the place, however deep.
  const shown = keys.length > 24 ? [...keys.slice(0, 12), null, ...keys.slice(-12)] : keys;
  for (const key of shown) {
    if (key === null) text += "…";
    else if (typeof key === "number") text += `[${key}]`;
    else if (key.length <= MAX_KEY && PLAIN_KEY.test(key)) text += `.${key}`;
    else text += `[${quoted(key)}]`;
  }
  return text.length <= MAX_PATH ? text : `${text.slice(0, MAX_PATH / 2)}…${text.slice(-MAX_PATH / 2)}`;
}

function quoted(key: string): string {
  const short = key.length > MAX_KEY ? `${key.slice(0, MAX_KEY)}…` : key;
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(short).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escaped);
}

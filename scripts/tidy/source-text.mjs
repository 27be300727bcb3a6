// A small scanner that tells code from comments, strings, templates and regular expressions. It keeps every line break
// and every offset, so a match in a reduced text stands on the same line of the file. A full parser is not needed: the
// checks look for names and import paths, never for structure.

const beforeRegex = new Set([..."(,=:[!&|?{};+-*%~^<>\n"]);
const wordsBeforeRegex = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "do",
  "else",
  "void",
  "delete",
  "throw",
  "new",
]);

/**
 * @param {string} text
 * @returns {{ code: string, bare: string }} `code` without comments; `bare` without comments and contents of strings
 */
export function reduce(text) {
  const code = [...text];
  const bare = [...text];
  let at = 0;
  // One entry for each open `${` of a template: how many braces are open inside it.
  /** @type {number[]} */
  const holes = [];

  const blank = (/** @type {string[]} */ target, /** @type {number} */ from, /** @type {number} */ to) => {
    for (let i = from; i < to; i += 1) if (target[i] !== "\n") target[i] = " ";
  };
  const comment = (/** @type {number} */ end) => {
    blank(code, at, end);
    blank(bare, at, end);
    at = end;
  };
  const literal = (/** @type {number} */ end) => {
    blank(bare, at + 1, end - 1);
    at = end;
  };
  const template = (/** @type {number} */ start) => {
    const { end, hole } = endOfTemplate(text, start + 1);
    blank(bare, start + 1, end);
    at = hole ? end + 2 : end + 1;
    if (hole) holes.push(0);
  };

  while (at < text.length) {
    const here = text[at];
    const next = text[at + 1];
    const depth = holes.length - 1;
    if (here === "/" && next === "/") comment(endOr(text, text.indexOf("\n", at), 0));
    else if (here === "/" && next === "*") comment(endOr(text, text.indexOf("*/", at + 2), 2));
    else if (here === '"' || here === "'") literal(endOfQuoted(text, at + 1, here));
    else if (here === "`") template(at);
    else if (here === "/" && startsRegex(text, at)) literal(endOfRegex(text, at + 1));
    else if (here === "}" && depth >= 0 && holes[depth] === 0) {
      holes.pop();
      template(at);
    } else {
      if (depth >= 0 && here === "{") holes[depth] = (holes[depth] ?? 0) + 1;
      if (depth >= 0 && here === "}") holes[depth] = (holes[depth] ?? 0) - 1;
      at += 1;
    }
  }
  return { code: code.join(""), bare: bare.join("") };
}

/**
 * @param {string} text
 * @param {number} index
 * @param {number} length
 */
function endOr(text, index, length) {
  return index === -1 ? text.length : index + length;
}

/**
 * @param {string} text
 * @param {number} from
 * @param {string} quote
 */
function endOfQuoted(text, from, quote) {
  let at = from;
  while (at < text.length && text[at] !== quote && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
  return Math.min(at + 1, text.length);
}

/**
 * Where the fixed part of a template ends: at its closing back-tick, or at the `${` of the next hole.
 * @param {string} text
 * @param {number} from
 */
function endOfTemplate(text, from) {
  let at = from;
  while (at < text.length && text[at] !== "`") {
    if (text[at] === "$" && text[at + 1] === "{") return { end: at, hole: true };
    at += text[at] === "\\" ? 2 : 1;
  }
  return { end: Math.min(at, text.length), hole: false };
}

/**
 * @param {string} text
 * @param {number} at
 */
function startsRegex(text, at) {
  const before = text.slice(Math.max(0, at - 40), at).replace(/[ \t]+$/, "");
  if (before === "") return true;
  const last = before[before.length - 1] ?? "";
  if (beforeRegex.has(last)) return true;
  return wordsBeforeRegex.has(/[A-Za-z]+$/.exec(before)?.[0] ?? "");
}

/**
 * @param {string} text
 * @param {number} from
 */
function endOfRegex(text, from) {
  let at = from;
  let inClass = false;
  while (at < text.length && text[at] !== "\n") {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "[") inClass = true;
    else if (text[at] === "]") inClass = false;
    else if (text[at] === "/" && !inClass) return at + 1;
    at += 1;
  }
  return at;
}

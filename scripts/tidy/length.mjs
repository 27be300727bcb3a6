// Files stay short enough to be read in one go. The exceptions are listed with their present length and may only shrink:
// a file that got shorter has its entry lowered, one within the limit has it removed, and none is added.

const warnAbove = 400;
const failAbove = 600;

/** Path to greatest number of lines. */
export const lengthExceptions = /** @type {Readonly<Record<string, number>>} */ ({});

/**
 * @param {import("./files.mjs").SourceFile[]} files
 * @param {Readonly<Record<string, number>>} exceptions
 * @returns {import("./files.mjs").Finding[]}
 */
export function checkLength(files, exceptions = lengthExceptions) {
  const code = files.filter((file) => file.isCode);
  const gone = Object.keys(exceptions).filter((path) => !code.some((file) => file.path === path));
  return [
    ...gone.map((path) => finding("error", path, "the file is gone; remove its entry from the length exceptions")),
    ...code.flatMap((file) => judge(file, exceptions[file.path])),
  ];
}

/**
 * @param {import("./files.mjs").SourceFile} file
 * @param {number | undefined} listed
 */
function judge(file, listed) {
  const lines = file.text.replace(/\n$/, "").split("\n").length;
  if (listed !== undefined) {
    if (lines <= failAbove) return [finding("error", file.path, "within the limit again; remove its length exception")];
    if (lines > listed) return [finding("error", file.path, `${lines} lines; its exception allows ${listed}`)];
    if (lines < listed) return [finding("error", file.path, `lower its length exception from ${listed} to ${lines}`)];
    return [];
  }
  if (lines > failAbove) return [finding("error", file.path, `${lines} lines; split it (the limit is ${failAbove})`)];
  if (lines > warnAbove) return [finding("warning", file.path, `${lines} lines; consider splitting it`)];
  return [];
}

/**
 * @param {"error" | "warning"} level
 * @param {string} path
 * @param {string} text
 * @returns {import("./files.mjs").Finding}
 */
function finding(level, path, text) {
  return { level, path, line: 1, rule: "length", text };
}

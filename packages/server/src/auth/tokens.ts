import { readFileSync } from "node:fs";
import { ROLES, type Role } from "@giveway/api";
import { GivewayError } from "@giveway/kernel";

/** One bearer token and what it allows. */
export interface Token {
  readonly role: Role;
  readonly token: string;
  /** Kept with the changes made under it; default: the role. */
  readonly name?: string;
}

const ENTRY = /^([a-z]+)(?:\/([\w.@-]{1,64}))?:([\x21-\x7e]+)$/;

/**
 * Reads `role:token` entries, separated by commas or lines: `operator:s3cret`, or with a name that changes are recorded under:
 * `operator/anna:s3cret`. Lines that begin with `#` are comments. Throws `invalid_config`, without ever repeating a token.
 */
export function parseTokens(text: string, source: string): Token[] {
  const entries = text
    .split(/\r?\n/)
    .filter((line) => !/^\s*#/.test(line))
    .flatMap((line) => line.split(","))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const tokens = entries.map((entry, at) => parseEntry(entry, `${source}, entry ${at + 1}`));
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length) {
    throw new GivewayError("invalid_config", `${source}: the same token stands there twice`, { field: source });
  }
  return tokens;
}

function parseEntry(entry: string, where: string): Token {
  const [, role, name, token] = ENTRY.exec(entry) ?? [];
  if (token === undefined || !isRole(role)) {
    throw new GivewayError(
      "invalid_config",
      `${where}: expected role:token, with one of the roles ${ROLES.join(", ")}`,
      {
        field: where,
      },
    );
  }
  return name === undefined ? { role, token } : { role, token, name };
}

const isRole = (role: string | undefined): role is Role => (ROLES as readonly (string | undefined)[]).includes(role);

/** The tokens that the environment names: `GIVEWAY_TOKENS`, the file `GIVEWAY_TOKENS_FILE`, or both together. None: an empty list. */
export function tokensFromEnv(env: Readonly<Record<string, string | undefined>>): Token[] {
  const listed = env["GIVEWAY_TOKENS"] ?? "";
  const path = env["GIVEWAY_TOKENS_FILE"] ?? "";
  if (path === "") return parseTokens(listed, "GIVEWAY_TOKENS");
  const inFile = parseTokens(readTokenFile(path), path);
  if (inFile.length === 0) {
    throw new GivewayError("invalid_config", `GIVEWAY_TOKENS_FILE: ${path} holds no token`, {
      field: "GIVEWAY_TOKENS_FILE",
    });
  }
  return [...parseTokens(listed, "GIVEWAY_TOKENS"), ...inFile];
}

function readTokenFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new GivewayError("invalid_config", `GIVEWAY_TOKENS_FILE: can't read ${path} (${reason})`, {
      field: "GIVEWAY_TOKENS_FILE",
      cause: error,
    });
  }
}

import { createHash, timingSafeEqual } from "node:crypto";
import { ROLES, type Role } from "@giveway/api";
import { GivewayError } from "@giveway/kernel";
import type { Token } from "./tokens.ts";

/** Who calls. `by` is what changes are recorded under. */
export interface Caller {
  readonly role: Role;
  readonly by: string;
}

export interface Authenticator {
  /** Answers who calls, from the `Authorization` header. Throws `unauthorized`. */
  identify(authorization: string | undefined): Caller;
}

/** Without tokens the server is bound to this machine, and whoever reaches it may do everything. */
const LOCAL: Caller = { role: "admin", by: "local" };

export function createAuthenticator(tokens: readonly Token[]): Authenticator {
  if (tokens.length === 0) return { identify: () => LOCAL };
  const known = tokens.map(({ role, token, name }) => ({
    digest: digestOf(token),
    caller: { role, by: name ?? role },
  }));
  return {
    identify(authorization) {
      const given = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1];
      if (given === undefined) {
        throw new GivewayError("unauthorized", "this server needs a token: send it as Authorization: Bearer <token>");
      }
      const digest = digestOf(given);
      // All are compared, whichever fits: the time taken tells nothing about the tokens.
      let caller: Caller | null = null;
      for (const one of known) if (timingSafeEqual(one.digest, digest)) caller = one.caller;
      if (caller === null) throw new GivewayError("unauthorized", "this server does not know the token");
      return caller;
    },
  };
}

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest();

/** Throws `forbidden` where the caller's role does not reach. */
export function requireRole(caller: Caller, needed: Role): void {
  if (ROLES.indexOf(caller.role) >= ROLES.indexOf(needed)) return;
  throw new GivewayError("forbidden", `this call needs the role ${needed}; the token has ${caller.role}`);
}

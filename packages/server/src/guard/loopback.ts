/** Whether an address to listen on is reached from this machine only. */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/^::ffff:/, "");
  return name === "localhost" || name === "::1" || /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(name);
}

/**
 * Whether a `Host` header may reach a server that trusts whoever is on this machine. A web page that has its own name resolve to
 * 127.0.0.1 (DNS rebinding) still sends that name: only names that mean this machine, and those listed, pass.
 */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  const host = /^(\[[^\]]+\]|[^:]+)(?::\d{1,5})?$/
    .exec(header ?? "")?.[1]
    ?.toLowerCase()
    .replace(/\.$/, "");
  if (host === undefined) return false;
  return isLoopback(host) || host.endsWith(".localhost") || allowed.some((one) => one.toLowerCase() === host);
}

export { parseTokens, type Token, tokensFromEnv } from "./auth/tokens.ts";
export { createServer, type Listening, type Server } from "./create-server.ts";
export type { EventOptions, ServerOptions, TimeoutOptions } from "./options.ts";

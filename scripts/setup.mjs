// `npm run setup`: installs what is missing and builds what is stale.
import { setup } from "./lib/setup.mjs";
import { say } from "./lib/workspace.mjs";

const did = await setup();
say(did ? "Ready." : "Ready; nothing to do.");

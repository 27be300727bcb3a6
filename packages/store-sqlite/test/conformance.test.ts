import { isBuiltin } from "node:module";
import { describeTaskStore } from "@giveway/store/conformance";
import { ledgersOf, SHORT } from "./support/ledgers.ts";

describeTaskStore("SQLite inline", ledgersOf({ inline: true }));

// Nodes before 22.13 have no SQLite of their own.
if (isBuiltin("node:sqlite")) {
  describeTaskStore("node:sqlite inline", ledgersOf({ inline: true, driver: "node:sqlite" }), SHORT);
}

import { describeTaskStore } from "@giveway/store/conformance";
import { ledgersOf, SHORT } from "./support/ledgers.ts";

describeTaskStore("SQLite in a thread", ledgersOf({}), SHORT);

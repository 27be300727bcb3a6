import { describeTaskStore } from "@giveway/store/conformance";
import { MemoryLedger } from "@giveway/store/memory";

describeTaskStore(
  "memory",
  async () => {
    const ledger = new MemoryLedger();
    return {
      async open(listener) {
        const store = ledger.connect();
        if (listener !== undefined) store.listen(listener);
        await store.open();
        return store;
      },
      async dispose() {},
    };
  },
  { durable: false, claims: 1_000 },
);

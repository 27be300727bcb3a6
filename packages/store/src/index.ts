export * from "./commit-queue.ts";
export * from "./task-store.ts";

export * from "./task-store.ts";

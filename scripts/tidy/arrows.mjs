// Who may import whom. The kernel decides, the store remembers, the engine acts, the faces show; imports go one way,
// and the engine and the concrete stores never meet.

/** Every package with the siblings that its sources may import. */
export const arrows = /** @type {const} */ ({
  "@giveway/kernel": [],
  "@giveway/store": ["@giveway/kernel"],
  "@giveway/store-sqlite": ["@giveway/kernel", "@giveway/store"],
  "@giveway/engine": ["@giveway/kernel", "@giveway/store"],
  giveway: ["@giveway/kernel", "@giveway/store", "@giveway/store-sqlite", "@giveway/engine"],
  "@giveway/api": ["@giveway/kernel"],
  "@giveway/server": ["@giveway/kernel", "@giveway/store", "@giveway/engine", "@giveway/api", "giveway"],
  "@giveway/cli": [
    "@giveway/kernel",
    "@giveway/store",
    "@giveway/engine",
    "@giveway/api",
    "@giveway/server",
    "giveway",
  ],
});

/** Concrete stores; besides the front door only a `main.ts` may name one. */
export const concreteStores = new Set(["@giveway/store-sqlite"]);

/**
 * @param {string} name a package's name
 * @returns {readonly string[] | undefined} undefined for a name that is not one of ours
 */
export function allowedBy(name) {
  return Object.hasOwn(arrows, name) ? arrows[/** @type {keyof typeof arrows} */ (name)] : undefined;
}

/** @param {string} folder a folder's name under packages/ */
export function packageNameOf(folder) {
  return folder === "giveway" ? "giveway" : `@giveway/${folder}`;
}

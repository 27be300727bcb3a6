import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Ballast } from "../src/disk/ballast.ts";
import { freeOnVolume, SpaceGuard } from "../src/disk/space.ts";
import { testFile, testFolder } from "./support/folder.ts";

function guarded(minFree: number, ballastBytes = 0) {
  const file = testFile();
  const volume = { free: 1_000_000, asked: 0, now: 0 };
  const ballast = new Ballast(file, ballastBytes);
  const freeBytes = (): number => {
    volume.asked += 1;
    return volume.free;
  };
  const space = new SpaceGuard(file, minFree, ballast, freeBytes, () => volume.now);
  return { file, volume, ballast, space };
}

describe("the free-space mark", () => {
  it("asks the volume at most once a second, however many tasks come in", () => {
    const { volume, space } = guarded(500_000);
    for (let call = 0; call < 10_000; call += 1) space.refusal();
    expect(volume.asked).toBe(1);
    volume.now = 1_000;
    space.refusal();
    expect(volume.asked).toBe(2);
  });

  it("refuses below the mark and admits again above it", () => {
    const { volume, space } = guarded(500_000);
    expect(space.refusal()).toBeNull();
    volume.free = 499_999;
    volume.now = 1_000;
    expect(space.refusal()).toMatchObject({ code: "ledger_full" });
    volume.free = 500_000;
    volume.now = 1_999;
    expect(space.refusal()).toMatchObject({ code: "ledger_full" });
    volume.now = 2_000;
    expect(space.refusal()).toBeNull();
  });

  it("refuses for a second after a write found the disk full, whatever the volume says", () => {
    const { volume, space } = guarded(0);
    space.foundFull(false);
    expect(space.refusal()).toMatchObject({ code: "ledger_full" });
    volume.now = 1_000;
    expect(space.refusal()).toBeNull();
  });

  it("tells the free bytes of a real volume, and takes one it can't ask for a roomy one", () => {
    expect(freeOnVolume(testFolder())).toBeGreaterThan(0);
    expect(freeOnVolume("/does/not/exist")).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("the ballast", () => {
  it("is made where there is room, dropped once, and made again", async () => {
    const { file, volume, ballast, space } = guarded(100_000, 50_000);
    space.check();
    await ballast.close();
    expect(existsSync(`${file}-ballast`)).toBe(false);

    const again = new Ballast(file, 50_000);
    again.make();
    while (!again.present()) await new Promise((resolve) => setImmediate(resolve));
    expect(again.drop()).toBe(true);
    expect(again.drop()).toBe(false);
    expect(volume.asked).toBe(1);
  });

  it("is not made where it would bring the volume near the mark", async () => {
    const { file, volume, ballast, space } = guarded(100_000, 50_000);
    volume.free = 199_999;
    space.check();
    await ballast.close();
    expect(existsSync(`${file}-ballast`)).toBe(false);
    expect(existsSync(`${file}-ballast.partial`)).toBe(false);
  });

  it("of a run before is kept", () => {
    const file = testFile();
    writeFileSync(`${file}-ballast`, "heavy");
    expect(new Ballast(file, 50_000).present()).toBe(true);
  });
});

import { describe, expect, test } from "bun:test";
import { PUBLIC_PAGE_LOOK_MS } from "../../../src/limits.ts";
import { createPublicPages } from "../../../src/pages/public/public_pages.ts";

/** A page whose version a test sets, and that counts what is asked of it. */
function versionedPage() {
  const counts = { looks: 0, made: 0 };
  const page = {
    version: "1" as string | undefined,
    counts,
    findVersion: async () => {
      counts.looks += 1;
      return page.version;
    },
    make: async () => {
      counts.made += 1;
      return `page ${page.version}`;
    },
  };
  return page;
}

describe("findVersioned", () => {
  test("visitors of a second share one look, and a page is made again only at another version", async () => {
    const pages = createPublicPages();
    const page = versionedPage();
    const textOf = async () => (await pages.findVersioned("/a", page))?.body.text();
    const texts = await Promise.all(Array.from({ length: 50 }, textOf));
    expect(new Set(texts)).toEqual(new Set(["page 1"]));
    expect(page.counts).toEqual({ looks: 1, made: 1 });
    await Bun.sleep(PUBLIC_PAGE_LOOK_MS + 50);
    expect(pages.has("/a")).toBe(false);
    await textOf();
    expect(pages.has("/a")).toBe(true);
    expect(page.counts).toEqual({ looks: 2, made: 1 });
    page.version = "2";
    await Bun.sleep(PUBLIC_PAGE_LOOK_MS + 50);
    expect(await textOf()).toBe("page 2");
    expect(page.counts).toEqual({ looks: 3, made: 2 });
  });

  test("a page that is gone is not found, and found again when it is back", async () => {
    const pages = createPublicPages();
    const page = versionedPage();
    expect(await pages.findVersioned("/a", page)).toBeDefined();
    page.version = undefined;
    await Bun.sleep(PUBLIC_PAGE_LOOK_MS + 50);
    expect(await pages.findVersioned("/a", page)).toBeUndefined();
    page.version = "1";
    expect(await pages.findVersioned("/a", page)).toBeDefined();
  });
});

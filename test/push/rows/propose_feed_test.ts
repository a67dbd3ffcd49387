import { describe, expect, test } from "bun:test";
import { parseExact } from "../../../src/money/money.ts";
import { type ExactRow, proposeFeed } from "../../../src/push/rows/propose_feed.ts";
import slugs from "../../fixtures/slugs.json" with { type: "json" };

const AT = "2026-01-01T00:00:00Z";

function propose(json: string, options: Partial<Parameters<typeof proposeFeed>[1]> = {}) {
  const rows = parseExact(json) as readonly ExactRow[];
  return proposeFeed(rows, {
    ...{ fileName: "City temps-2024.csv", isDocument: false, canRename: true },
    ...options,
  });
}

describe("proposeFeed", () => {
  test("names the feed by its file, whatever the file is called", () => {
    expect(propose('[{"id":1}]')).toMatchObject({
      name: "City temps 2024",
      slug: "city-temps-2024",
    });
    for (const fileName of [
      ...slugs.map(({ text }) => text),
      "",
      ".csv",
      "日本.json",
      "\0\u202e",
    ]) {
      const { name, slug } = propose('[{"id":1}]', { fileName });
      expect([fileName, slug]).toEqual([
        fileName,
        expect.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/),
      ]);
      expect([...name].length).toBeWithin(1, 201);
    }
  });

  test("takes an id that is there, else a field that differs in every row, likely names first", () => {
    expect(propose('[{"id":1,"code":"a"},{"id":2,"code":"b"}]').idFields).toEqual(["id"]);
    const found = propose('[{"name":"x","n":1,"code":"a"},{"name":"y","n":1,"code":"b"}]');
    expect(found).toMatchObject({ idField: "code", idFields: ["code", "name"] });
    expect([...found.renames]).toEqual([["code", "id"]]);
    expect(Object.keys(found.schema.properties ?? {})).toEqual(["name", "n", "id"]);
    expect(found.sample).toBe('{"name":"x","n":1,"id":"a"}');
    // 1, "1" and 1.0 are one id.
    expect(propose('[{"a":1,"b":{}},{"a":"1","b":[]},{"a":1.0,"b":1}]').idField).toBeUndefined();
    expect(propose('[{"a":9007199254740992},{"a":9007199254740993}]').idField).toBe("a");
  });

  test("takes rows with event times for a stream, and a field with times if its name says so", () => {
    const rows = (name: string, at: unknown = AT) => JSON.stringify([{ id: 1, [name]: at }]);
    expect(propose(rows("event_timestamp"))).toMatchObject({
      feedType: "stream",
      renames: new Map(),
    });
    expect(propose(rows("time"))).toMatchObject({ feedType: "stream", timeField: "time" });
    expect(propose(rows("updated_at"))).toMatchObject({
      feedType: "collection",
      timeField: undefined,
      timeFields: ["updated_at"],
    });
    expect(propose(rows("time", "noon"))).toMatchObject({ feedType: "collection", timeFields: [] });
    const chosen = { feedType: "stream", timeField: "updated_at" } as const;
    expect([...propose(rows("updated_at"), chosen).renames]).toEqual([
      ["updated_at", "event_timestamp"],
    ]);
    expect(propose(rows("time"), { feedType: "stream", timeField: "" }).timeField).toBeUndefined();
  });

  test("renames nothing for the command", () => {
    const found = propose(`[{"code":"a","time":"${AT}"}]`, { canRename: false });
    expect(found).toMatchObject({ feedType: "collection", idFields: [], renames: new Map() });
  });

  test("takes one object for a document, and leaves a sample out that is too large", () => {
    const large = JSON.stringify([{ text: "x".repeat(300_000) }]);
    expect(propose(large, { isDocument: true })).toMatchObject({
      feedType: "singleton",
      idFields: [],
      sample: null,
    });
  });

  test("keys of objects' own prototypes are names like any others", () => {
    const found = propose('[{"__proto__":"a","constructor":1},{"__proto__":"b","constructor":1}]');
    expect(found.idField).toBe("__proto__");
    expect(found.sample).toBe('{"id":"a","constructor":1}');
  });
});

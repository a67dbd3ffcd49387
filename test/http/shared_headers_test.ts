import { describe, expect, test } from "bun:test";
import { sharedHeaders } from "../../src/http/shared_headers.ts";

describe("sharedHeaders", () => {
  test("are made once for a content and a key, and anew for another of either", () => {
    let made = 0;
    const make = () => {
      made += 1;
      return { "X-Made": String(made) };
    };
    const content = {};
    const told = (of: object, key: string) => sharedHeaders(of, key, make).get("X-Made");
    expect([told(content, "a"), told(content, "a")]).toEqual(["1", "1"]);
    expect([told({}, "a"), told(content, "a")]).toEqual(["2", "1"]);
    expect([told(content, "b"), told(content, "b"), told(content, "a")]).toEqual(["3", "3", "4"]);
  });

  test("are not kept under a key of any length", () => {
    let made = 0;
    const content = {};
    const key = "k".repeat(10_000);
    for (let time = 0; time < 2; time++) {
      sharedHeaders(content, key, () => {
        made += 1;
        return {};
      });
    }
    expect(made).toBe(2);
  });
});

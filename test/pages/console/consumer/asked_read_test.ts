import { describe, expect, test } from "bun:test";
import { askedQuery, refusedField } from "../../../../src/pages/console/consumer/asked_read.ts";

function formOf(fields: Readonly<Record<string, string>>) {
  const text = (name: string) => (fields[name] ?? "").trim();
  return { text, given: (name: string) => text(name) || undefined };
}

const filter = (line: number, field: string, value: string) => ({
  [`filter_${line}_field`]: field,
  [`filter_${line}_value`]: value,
});

describe("askedQuery", () => {
  test.each([
    [{}, ""],
    [{ limit: " ", jsonpath: "", ids: " \n ", start_time: "" }, ""],
    [filter(1, "place", "Tonga"), "?place=eq.Tonga"],
    [filter(3, "place", "a&b=c d"), "?place=eq.a%26b%3Dc+d"],
    [{ ...filter(1, "a", "1"), ...filter(2, "a", "2") }, "?a=eq.1&a=eq.2"],
    // An empty text is a value, too, and what has no name is left to the route.
    [filter(1, "place", ""), "?place=eq."],
    [filter(1, "", "x"), "?payload.=eq.x"],
    // Names of parameters, with a dot, or that would be read in another way.
    [filter(1, "limit", "5"), "?payload.limit=eq.5"],
    [filter(1, "a.b", "5"), "?payload.a.b=eq.5"],
    [filter(1, "payload.a", "5"), "?payload.payload.a=eq.5"],
    [filter(1, "filters[a]", "5"), "?payload.filters%5Ba%5D=eq.5"],
    [filter(1, "größe", "5"), "?payload.gr%C3%B6%C3%9Fe=eq.5"],
    [{ ids: "a,b\n  c d \n\n" }, "?ids=a%2Cb&ids=c+d"],
    [{ start_time: "2026-11-28T10:00" }, "?start_time=2026-11-28T10%3A00%3A00Z"],
    [{ end_time: "2026-11-28T10:00:30.5" }, "?end_time=2026-11-28T10%3A00%3A30.5Z"],
    [{ end_time: "2026-11-28T10:00:00+01:00" }, "?end_time=2026-11-28T10%3A00%3A00%2B01%3A00"],
    [{ start_time: "yesterday" }, "?start_time=yesterday"],
    [{ jsonpath: "$[*].id", limit: "5", cursor: "c" }, "?jsonpath=%24%5B*%5D.id&limit=5&cursor=c"],
  ])("%j asks %p", (fields, query) => {
    expect(askedQuery(formOf(fields))).toBe(query);
  });
});

describe("refusedField", () => {
  test.each([
    ["JSONPATH_FILTER_DISABLED", undefined, "jsonpath"],
    ["INVALID_PARAMETER", "limit", "limit"],
    ["INVALID_PARAMETER", "start_time", "start_time"],
    ["INVALID_PARAMETER", "b", "filter_2_field"],
    ["INVALID_PARAMETER", "payload.b.c", "filter_3_field"],
    ["INVALID_PARAMETER", "offset", undefined],
    ["INVALID_PARAMETER", undefined, undefined],
    ["INSUFFICIENT_CREDITS", undefined, undefined],
  ])("%s of %p is about %p", (code, parameter, field) => {
    const form = formOf({
      ...filter(1, "a", "1"),
      ...filter(2, "b", "2"),
      ...filter(3, "b.c", "3"),
    });
    expect(refusedField({ code, parameter }, form)).toBe(field);
  });
});

import { describe, expect, test } from "bun:test";
import { table } from "../../src/cli/output.ts";

const ID = "00000000-0000-4000-8000-000000000001";
const TIME = "2026-11-21T08:15:19.038672Z";

/** A table of plain cells. */
function tableOf(header: readonly string[], rows: readonly (readonly string[])[]) {
  const columns = header.map((title, column) => [title, (row: readonly string[]) => row[column]]);
  return table(rows, Object.fromEntries(columns));
}

describe("table", () => {
  const cells = tableOf(
    ["ID", "CREDITS", "CREATED", "NAME"],
    [
      [ID, "1234567890.125", TIME, "A name that is long, and says nothing of use to anybody"],
      [ID, "5", "-", "Short"],
    ],
  );

  test("cuts nothing where there is no terminal, or room for all", () => {
    const whole = cells();
    expect(whole).toContain("of use to anybody");
    expect(whole).not.toContain("…");
    const second = whole.replace(/\.\d{6}Z/, "Z").replace("CREATED       ", "CREATED");
    const width = Math.max(...second.split("\n").map((line) => line.length));
    expect(cells(width).split("\n")[1]).toBe(second.split("\n")[1] ?? "");
    expect(cells(width - 1)).toContain("…");
  });

  test("shows times to the second, cuts ids first, then texts, and no number", () => {
    const [, first] = cells(127).split("\n");
    expect(first).toBe(
      "00000000-0000-4000-8000-0000000…  1234567890.125  2026-11-21T08:15:19Z  A name that is long, and says nothing of use to anybody",
    );
    expect(cells(97).split("\n")[1]).toBe(
      "00000000…  1234567890.125  2026-11-21T08:15:19Z  A name that is long, and says nothing of use to…",
    );
    expect(cells(61).split("\n")[1]).toBe(
      "00000000…  1234567890.125  2026-11-21T08:15:19Z  A name that…",
    );
  });

  test("leaves out the last columns that there is no room for, and says so", () => {
    expect(cells(60).split("\n")).toEqual([
      "ID                      CREDITS         CREATED",
      "00000000-0000-4000-80…  1234567890.125  2026-11-21T08:15:19Z",
      "00000000-0000-4000-80…  5               -",
      "Columns omitted: NAME; see --json",
    ]);
    // A narrow column behind a wide one may still have room.
    expect(cells(40).split("\n")[3]).toBe("Columns omitted: CREATED; see --json");
  });

  test("never cuts what is to be copied", () => {
    const slug = "prices-of-gold-and-silver";
    const named = table([{ id: ID, slug, name: "A long name of a feed" }], {
      ID: ({ id }) => id,
      SLUG: { whole: (row) => row.slug },
      NAME: ({ name }) => name,
    });
    for (let columns = 1; columns <= 100; columns++) expect(named(columns)).toContain(slug);
    // The other columns are left out first.
    expect(named(25).split("\n").slice(0, 2)).toEqual(["SLUG", slug]);
    const two = table([{ slug, code: "VALIDATION_FAILED" }], {
      SLUG: { whole: (row) => row.slug },
      CODE: { whole: ({ code }) => code },
    });
    expect(two(40).split("\n")[1]).toBe(`${slug}  VALIDATION_FAILED`);
  });

  test("escapes titles like values, and keeps each on one line", () => {
    const hostile = tableOf(["a\nb", "\u001b[2J", "c\u202e"], [["1\n2", "\u0007", "3"]]);
    expect(hostile()).toBe("a b  \\u001b[2J  c\\u202e\n1 2  \\u0007     3");
    expect(hostile(8)).toBe("a b\n1 2\nColumns…");
  });

  test("makes every row fit, whatever the width", () => {
    for (let columns = 1; columns <= 150; columns++) {
      const widths = cells(columns)
        .split("\n")
        .map((line) => Bun.stringWidth(line));
      expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    }
  });

  test("of several texts, the widest gives room first", () => {
    const texts = tableOf(["A", "B", "C"], [["x".repeat(50), "y".repeat(15), "z".repeat(30)]]);
    expect(texts(60).split("\n")[1]).toBe(
      `${"x".repeat(19)}…  ${"y".repeat(15)}  ${"z".repeat(20)}…`,
    );
  });

  test("counts what a character takes on the screen", () => {
    const wide = tableOf(
      ["NAME", "N"],
      [
        ["東京".repeat(20), "1"],
        ["e\u0301".repeat(40), "2"],
      ],
    );
    const lines = wide(20).split("\n");
    expect(lines[1]).toBe(`${"東京".repeat(4)}…  1`);
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(20);
  });

  test("without rows is its header, which is cut, too", () => {
    expect(tableOf(["ID", "NAME"], [])(80)).toBe("ID  NAME");
    expect(tableOf(["ID", "NAME"], [])(6)).toBe("ID\nColum…");
  });
});

import { beforeAll, describe, expect, test } from "bun:test";
import { table } from "../../src/cli/output.ts";
import { createOperator, linesOf, type Operator, runInTerminal } from "./support.ts";

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
    const width = Math.max(...whole.split("\n").map((line) => line.length));
    expect(cells(width)).toBe(whole);
    expect(cells(width - 1)).not.toBe(whole);
  });

  test("cuts texts first, then times down to the date, then ids, and no number", () => {
    const [, first] = cells(120).split("\n");
    expect(first).toBe(`${ID}  1234567890.125  ${TIME}  A name that is long, and says nothin…`);
    expect(cells(95).split("\n")[1]).toBe(`${ID}  1234567890.125  ${TIME}  A name that…`);
    expect(cells(79).split("\n")[1]).toBe(`${ID}  1234567890.125  2026-11-21…  A name that…`);
    expect(cells(60).split("\n")[1]).toBe(
      "00000000-0000-40…  1234567890.125  2026-11-21…  A name that…",
    );
    expect(cells(45).split("\n")[1]).toBe("00000000…  1234567890.125  2026-11-21…  A na…");
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
    expect(tableOf(["ID", "NAME"], [])(6)).toBe("ID  N…");
  });
});

describe("feedgate, on a terminal", () => {
  let operator: Operator;
  const name = `Long ${"name ".repeat(30)}東京`;
  beforeAll(async () => {
    operator = await createOperator();
    await operator.json("account", "create", "--name", name);
  });

  const screen = (argv: readonly string[], columns: number) =>
    runInTerminal(argv, { columns, environment: { DATABASE_URL: operator.databaseUrl } });

  test("cuts long texts so that each row fits, and nothing where it is piped", async () => {
    for (const columns of [120, 80, 40]) {
      const lines = await screen(["account", "list"], columns);
      expect(lines).toHaveLength(2);
      expect(lines[1]).toEndWith("…");
      for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    }
    const wide = await screen(["account", "list"], 400);
    const piped = await operator.run(["account", "list"]);
    expect(linesOf(piped.stdout)).toEqual(wide);
    expect(piped.stdout).toContain(name.trim());
  });

  test("cuts neither what is no table nor JSON", async () => {
    const shown = await screen(["account", "show", name], 40);
    expect(shown.join("\n")).toContain(name.trim());
    const json = await screen(["account", "list", "--json"], 40);
    expect(JSON.parse(json.join(""))).toMatchObject([{ name }]);
  });

  test("tells what a name would say to it, and cuts by what is told", async () => {
    await operator.json("account", "create", "--name", `\u001b[2J${"\u202e".repeat(100)}`);
    const lines = await screen(["account", "list"], 140);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain("  \\u001b[2J\\u202e");
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(140);
      expect(line).not.toContain("\u001b");
      expect(line).not.toContain("\u202e");
    }
  });
});

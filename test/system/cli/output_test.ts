import { beforeAll, describe, expect, test } from "bun:test";
import { linesOf, runProcessInTerminal, startOperatedGateway } from "../../cli/support.ts";
import { seedFeed } from "../../support/seed.ts";

const { gateway, operator } = await startOperatedGateway();
const environment = { DATABASE_URL: operator.databaseUrl };

describe("feedgate, on a terminal", () => {
  let owner: string;
  const name = `Long ${"name ".repeat(30)}東京`;
  beforeAll(async () => {
    ({ id: owner } = (await operator.json("account", "create", "--name", name)) as { id: string });
  });

  const screen = (argv: readonly string[], columns: number) =>
    runProcessInTerminal(argv, { columns, environment });

  test("cuts long texts so that each row fits, and nothing where it is piped", async () => {
    for (const columns of [120, 80, 40]) {
      const lines = await screen(["account", "list"], columns);
      expect(lines[1]).toContain("…");
      expect(lines.slice(2)).toEqual(
        columns === 120 ? [] : [expect.stringMatching(/^Columns omitted: .*(; see --json|…)$/)],
      );
      for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    }
    const wide = await screen(["account", "list"], 400);
    const piped = await operator.run(["account", "list"]);
    expect(linesOf(piped.stdout.replace(/\.\d+Z/g, "Z"))).toEqual(wide);
    expect(piped.stdout).toContain(name.trim());
  });

  test("cuts neither what is no table nor JSON", async () => {
    const shown = await screen(["account", "show", name], 40);
    expect(shown.join("\n")).toContain(name.trim());
    const json = await screen(["account", "list", "--json"], 40);
    expect(JSON.parse(json.join(""))).toMatchObject([{ name }]);
  });

  test("shows what a name would say to it, and cuts by what is shown", async () => {
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

  test("asks before it deletes, and takes what is typed for an answer", async () => {
    const rows = [{ id: "a" }];
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows });
    const answered = (input: string) =>
      runProcessInTerminal(["feed", "delete", slug], { columns: 200, environment, input });
    expect((await answered("n\n")).join("\n")).toContain("feedgate: nothing was deleted");
    expect(await operator.json("feed", "show", slug)).not.toHaveProperty("deleted_at");
    await answered("y\n");
    expect(await operator.json("feed", "show", slug)).toHaveProperty("deleted_at");
  });
});

import { beforeAll, describe, expect, test } from "bun:test";
import { VERSION } from "../../../src/lib/program_version.ts";
import { connect } from "../../../src/postgres/client/connect.ts";
import { MIGRATIONS } from "../../../src/postgres/generated/statements.ts";
import {
  createOperator,
  UNKNOWN_ID as ID,
  linesOf,
  type Operator,
  refused,
  runProcess,
} from "../../cli/support.ts";
import { createTestDatabase } from "../../support/database.ts";
import { SOURCES, TYPED } from "../../support/program.ts";

let operator: Operator;
beforeAll(async () => {
  operator = await createOperator({ opensAnew: true });
});

describe("feedgate, in a process of its own", () => {
  test("help and version go to standard output with exit code 0", async () => {
    const help = await runProcess(["account", "create", "--help"], {});
    expect([help.code, help.stderr]).toEqual([0, ""]);
    expect(help.stdout).toStartWith(`Usage: ${TYPED} account create --name S`);
  });

  test("the version has the commit that the program was made from, and is the version alone if git can't tell", async () => {
    const git = Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], { cwd: import.meta.dir });
    const commit = git.stdout.toString().trim();
    const { code, stdout } = await runProcess(["--version"], {});
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^feedgate \d+\.\d+\.\d+(-dev)?( \(.*\))?, schema \d+\n$/),
    ]);
    if (commit !== "") expect(stdout).toContain(` (${commit}`);
    // The executable was told when it was built.
    const without = await runProcess(["--version"], { PATH: "/nowhere" }, SOURCES);
    expect([without.code, without.stdout]).toEqual([
      0,
      `feedgate ${VERSION}, schema ${MIGRATIONS.length}\n`,
    ]);
  });

  test("an answer goes to standard output with exit code 0, a refusal to standard error with 1, wrong usage with 2", async () => {
    const environment = { DATABASE_URL: operator.databaseUrl };
    const done = await runProcess(["migrate", "--json"], environment);
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(JSON.parse(done.stdout)).toEqual({
      migrations: [],
      functions: false,
    });
    for (const [argv, exitCode] of [
      [["account", "show", ID], 1],
      [["nothing"], 2],
    ] as const) {
      const { code, stdout, stderr } = await runProcess(argv, environment);
      expect([code, stdout]).toEqual([exitCode, ""]);
      expect(linesOf(stderr)).toEqual([expect.stringMatching(/^feedgate: /)]);
    }
  });

  test("serve refuses a database that can't be reached, and one of another schema", async () => {
    const { url } = await createTestDatabase();
    const sql = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
    // As a program left it that kept no record of the schema.
    await sql`alter table schema_migrations drop column digest, drop column parts`;
    await sql`alter table feeds drop column retention_days`;
    await sql.end();
    for (const [databaseUrl, message] of [
      ["postgres://nobody:secret-word@127.0.0.1:1/none", "feedgate: "],
      [url, "schema differs from this feedgate's (column feeds.retention_days"],
    ] as const) {
      const run = await runProcess(["serve", "--port", "0"], { DATABASE_URL: databaseUrl });
      refused(run, message);
      expect(run.stderr).not.toContain("secret-word");
    }
  });
});

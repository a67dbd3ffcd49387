import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseCommandLine as parse } from "../../src/cli/command_line.ts";
import { COMMANDS } from "../../src/cli/command_table.ts";
import { OutputClosedError } from "../../src/cli/output.ts";
import { runCommand } from "../../src/cli/run.ts";
import { typedCommand } from "../../src/lib/own_process.ts";
import { connect } from "../../src/postgres/client/connect.ts";
import { createEmptyDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/folders.ts";
import {
  createOperator,
  failed,
  linesOf,
  type Operator,
  operatorOf,
  refused,
  runFeedgate,
} from "./support.ts";

const ID = "00000000-0000-4000-8000-000000000001";

const parseCommandLine = (argv: readonly string[]) => parse(argv, COMMANDS);

let operator: Operator;
beforeAll(async () => {
  operator = await createOperator();
});

/** The message of a wrong call; "" where it is right. */
function mistakeIn(line: string): string {
  try {
    parseCommandLine(line.split(" ").filter(Boolean));
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("parseCommandLine", () => {
  test("takes every command of the decisions", () => {
    for (const line of [
      "serve --port 0 --host 127.0.0.1 --data-dir d",
      "migrate",
      "account create --name S --max-feeds 9",
      "account list",
      `account show ${ID}`,
      `key create --account ${ID} --permission read --name S --expires 2030-01-01T00:00:00Z`,
      `key list --account ${ID}`,
      `key revoke ${ID}`,
      `credits grant --account ${ID} --credits 1.5 --reason S --reference R`,
      "promo create CODE --credits 1 --max-redemptions 5 --expires 2030-01-01T00:00:00Z",
      `promo redeem CODE --account ${ID}`,
      `purchase record --account ${ID} --feed ${ID} --reference R`,
      `feed list --account ${ID} --unlisted`,
      `feed publish ${ID} gold rates`,
      `feed unpublish ${ID}`,
      "feed show gold",
      `usage export --account ${ID} --since 2026-01-01T00:00:00Z --until 2026-02-01T00:00:00Z --format csv`,
      "--json account list",
      "--data-dir d account list --json",
    ]) {
      expect([line, mistakeIn(line)]).toEqual([line, ""]);
    }
  });

  test("a wrong call is named in one line that leads to the help", () => {
    for (const [line, message] of [
      ["", "no command given; available: serve, demo, stop, migrate, grants, console, account"],
      ["acount list", 'unknown command "acount"; available: serve,'],
      ["account", "no command given; available: account create, account edit, account list"],
      ["account make", 'unknown command "account make"'],
      ["account create", `--name S is required; see ${typedCommand()} account create --help`],
      [
        "account create --nam x",
        `Unknown option '--nam'; see ${typedCommand()} account create --help`,
      ],
      ["account create --name", "Option '--name"],
      ["account create --name a --name b", "--name was given more than once"],
      ["account create --name a b", 'expected no arguments, got "b"'],
      ["account create --name a --max-feeds 0", "--max-feeds must be an integer from 1"],
      ["account create --name a --max-feeds 1e3", "--max-feeds must be an integer from 1"],
      [`account create --name ${"x".repeat(201)}`, "--name must have at most 200 characters"],
      ["account show", "expected ID, got none"],
      ["account show a b", 'expected ID, got "a", "b"'],
      ["account list --json=yes", "--json"],
      [
        `key create --account ${ID} --permission owner`,
        "--permission must be read or write or admin",
      ],
      [
        `key create --account ${ID} --permission read --expires soon`,
        "--expires must be a date such as",
      ],
      ["promo create C --credits 0", "--credits must be greater than 0"],
      ["promo create C --credits=-5", "--credits must be greater than 0"],
      [
        "promo create C --credits -1000",
        "--credits must be greater than 0 and at most 10^15, with up to 3 decimals",
      ],
      ["promo create C --credits -1000", 'got "-1000"'],
      ["key rotate K --grace -1h", 'got "-1h"'],
      ["account create --name --json", "--name=VALUE"],
      ["promo create C --credits 1.2345", "--credits must be greater than 0"],
      ["promo create C --credits x", "--credits must be greater than 0"],
      ["promo create C --credits 1e16", "--credits must be greater than 0"],
      ["promo create C --credits 1 --max-redemptions -1", "max-redemptions"],
      [`credits grant --account ${ID} --credits 1 --reason r --reference refund:1`, "--reference"],
      [`usage export --account ${ID} --format xml`, "--format must be csv or json"],
      ["serve --port 70000", "--port must be an integer from 0 to 65535"],
    ] as const) {
      const mistake = mistakeIn(line);
      expect([line, mistake]).toEqual([line, expect.stringContaining(message)]);
      expect(mistake).not.toContain("\n");
    }
  });

  test("a time is an RFC 3339 time, or a date: its midnight in UTC", () => {
    for (const [given, time] of [
      ["2026-11-22", "2026-11-22T00:00:00.000000Z"],
      ["2028-02-29", "2028-02-29T00:00:00.000000Z"],
      ["0001-01-01", "0001-01-01T00:00:00.000000Z"],
      ["9999-12-31", "9999-12-31T00:00:00.000000Z"],
      ["2026-11-22T01:30:00+02:00", "2026-11-21T23:30:00.000000Z"],
    ] as const) {
      for (const line of [
        `usage export --account ${ID} --since`,
        `usage export --account ${ID} --until`,
        `key create --account ${ID} --permission read --expires`,
        "promo create C --credits 1 --expires",
        "audit --since",
      ]) {
        const request = parseCommandLine([...line.split(" "), given]);
        if (request.kind !== "command") throw new Error("expected a command");
        expect(Object.values(request.values)).toContain(time);
      }
    }
  });

  test("what is no time is refused in one line, whatever it looks like", () => {
    const times = [
      ...["yesterday", "2026", "2026-11", "2026-13-01", "2026-02-29", "2026-11-31", "0000-01-01"],
      ...["2026-11-22Z", "2026-11-22T", "2026-11-22T06:27", "2026-11-22 06:27:00Z", "20261122"],
      ...["22.11.2026", "11/22/2026", "1790000000", "2026-11-22T24:00:00Z", "+2026-11-22", "-1"],
      ...["", " ", " 2026-11-22", "2026-11-22T00:00:00", "10000-01-01", "２０２６-11-22"],
    ];
    for (const given of times) {
      let message = "";
      try {
        parseCommandLine(["audit", "--since", given]);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toStartWith("--since must be a date such as 2026-11-21 (midnight UTC)");
      expect(message).toEndWith(`got "${given}"`);
    }
  });

  test("help is there for all, for a group and for each command, and names its options", () => {
    for (const line of ["--help", "-h", "help", "account --help", "help account"]) {
      const request = parseCommandLine(line.split(" "));
      expect(request.kind).toBe("help");
    }
    for (const command of COMMANDS) {
      const request = parseCommandLine([...command.words.split(" "), "--help"]);
      if (request.kind !== "help") throw new Error("expected help");
      expect(request.text).toStartWith(`Usage: ${typedCommand()} ${command.words}`);
      for (const name of Object.keys(command.options)) expect(request.text).toContain(`--${name}`);
      expect(request.text).toContain(command.isClient ? "--url" : "--data-dir");
    }
  });
});

describe("runCommand", () => {
  test("only serve, demo, migrate and restore make a database; the others say where they looked", async () => {
    const makers = COMMANDS.filter(({ makesDatabase }) => makesDatabase);
    expect(makers.map(({ words }) => words).sort()).toEqual([
      "demo",
      "migrate",
      "restore",
      "serve",
    ]);
    const dataDir = join(temporaryFolder(), "nothing");
    for (const argv of [
      ["account", "list"],
      ["audit"],
      ["usage", "export", "--account", ID],
      ["credits", "grant", "--account", ID, "--credits", "1", "--reason", "r"],
      ["backup", join(dataDir, "..", "backup")],
    ]) {
      const { code, stdout, stderr } = await runFeedgate([...argv, "--data-dir", dataDir], {});
      expect([argv, code, stdout]).toEqual([argv, 1, ""]);
      expect(linesOf(stderr)).toEqual([
        `feedgate: no database found in ${dataDir}: specify its folder with --data-dir, or create one with ${typedCommand()} serve`,
      ]);
      expect(existsSync(dataDir)).toBe(false);
    }
  });

  test("they leave a database of something else as it is; migrate makes tables beside those", async () => {
    const { url } = await createEmptyDatabase();
    const sql = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
    await sql`create table theirs (note text)`;
    const theirs = operatorOf(url);
    for (const argv of [
      ["account", "list"],
      ["account", "create", "--name", "Acme"],
      ["grants", "--role", "postgres"],
    ]) {
      refused(
        await theirs.run(argv),
        "tables of another application (theirs)",
        `${typedCommand()} migrate`,
      );
    }
    const tables = await sql`
      select relname as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`;
    expect([...tables]).toEqual([{ name: "theirs" }]);
    const schemas = await sql`select from pg_namespace where nspname like 'feedgate%'`;
    expect(schemas).toHaveLength(0);
    await sql.end();
    expect((await theirs.run(["migrate"])).code).toBe(0);
    expect(await theirs.json("account", "list")).toEqual([]);
  });

  test("what a name would say to the terminal is written out, in answers and in refusals", async () => {
    const name =
      "nice\u001b[2J\u001b]52;c;eA==\u0007\u009b31m\u202e\u200b\u{e0049}\ufe0f\u3164\u2800";
    const { stdout } = await operator.run(["account", "create", "--name", name]);
    const listed = await operator.run(["account", "list"]);
    const json = await operator.run(["account", "list", "--json"]);
    const refused = await operator.run(["account", "show", name]);
    for (const text of [stdout, listed.stdout, json.stdout, refused.stderr]) {
      expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u);
    }
    expect(listed.stdout).toContain("nice\\u001b[2J");
    expect(JSON.parse(json.stdout)).toContainEqual(expect.objectContaining({ name }));
  });

  test("a key is shown nowhere but where it is made", async () => {
    const account = (await operator.json("account", "create", "--name", "K")) as { id: string };
    const make = ["key", "create", "--account", account.id, "--permission", "read"];
    const { key } = (await operator.json(...make)) as { key: string };
    for (const argv of [["key", "list", key], ["key", "revoke", ` ${key}`], [key]]) {
      const { code, stderr } = await operator.run(argv);
      expect(code).toBeGreaterThan(0);
      expect(stderr).not.toContain(key);
    }
  });

  test("an answer that can't be written is a failure that says that the command is done", async () => {
    const account = (await operator.json("account", "create", "--name", "W")) as { id: string };
    const failing = async (argv: readonly string[], error: Error) => {
      let stderr = "";
      const code = await runCommand(argv, {
        environment: { DATABASE_URL: operator.databaseUrl },
        streams: {
          write: () => Promise.reject(error),
          complain(text) {
            stderr += text;
          },
        },
      });
      return { code, stderr };
    };
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const grant = [
      "credits",
      "grant",
      "--account",
      account.id,
      "--credits",
      "5",
      "--reason",
      "test",
    ];
    expect(await failing(grant, full)).toEqual({
      code: 1,
      stderr: "feedgate: credits grant succeeded, but its output could not be written (ENOSPC)\n",
    });
    const make = ["key", "create", "--account", account.id, "--permission", "read"];
    expect(await failing(make, new OutputClosedError())).toEqual({
      code: 1,
      stderr: "feedgate: key create succeeded, but its output could not be written (closed)\n",
    });
    expect((await failing(["account", "list"], new OutputClosedError())).code).toBe(0);
  });

  test("help is exit code 0", async () => {
    const { code, stdout, stderr } = await operator.run(["key", "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("key revoke");
  });

  test("wrong usage is exit code 2 and one line on standard error", async () => {
    for (const argv of [
      [],
      ["nothing"],
      ["account", "create"],
      ["promo", "create", "a b", "--credits", "1"],
    ]) {
      failed(await operator.run(argv), 2, "feedgate: ");
    }
  });

  test("each mistake in the environment is one line, and exit code 2", async () => {
    const { code, stdout, stderr } = await operator.run(["account", "list"], {
      PORT: "x",
      FEEDGATE_ROWS: "0",
    });
    expect([code, stdout]).toEqual([2, ""]);
    expect(linesOf(stderr)).toEqual([
      expect.stringContaining("FEEDGATE_ROWS must be"),
      expect.stringContaining("PORT must be"),
    ]);
  });

  test("a database that can't be reached is one line, and exit code 1", async () => {
    for (const url of [
      "postgres://nobody:secret-word@127.0.0.1:1/none",
      operator.databaseUrl.replace(/test_\d+/, "no_such_database"),
    ]) {
      for (const argv of [["account", "list"], ["migrate"]]) {
        const run = await operator.run(argv, { DATABASE_URL: url });
        refused(run);
        expect(run.stderr).not.toContain("secret-word");
      }
    }
  });

  test("migrate says what was missing", async () => {
    const { code, stdout } = await operator.run(["migrate"]);
    expect([code, stdout]).toEqual([0, "the schema is up to date\n"]);
    expect(await operator.json("migrate")).toEqual({
      migrations: [],
      functions: false,
    });
  });
});

import { afterAll, describe, expect, test } from "bun:test";
import type { Check } from "../../src/operator/examine.ts";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from "../support/database.ts";
import { runFeedgate, startOperatedGateway } from "./support.ts";

const { gateway, operator } = await startOperatedGateway();

const opened: Connections[] = [];
afterAll(() => Promise.all(opened.map((sql) => sql.end())));

/** A database and a connection to it. */
async function connected(making: Promise<TestDatabase>) {
  const { url } = await making;
  const sql = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
  opened.push(sql);
  return { url, sql };
}

interface Examined {
  readonly code: number;
  readonly stderr: string;
  readonly health: string;
  readonly checks: Readonly<Record<string, Check>>;
}

async function examine(environment: Record<string, string> = {}): Promise<Examined> {
  const run = await operator.run(["doctor", "--json"], environment);
  const { health, checks }: { health: string; checks: Check[] } = JSON.parse(run.stdout);
  return {
    code: run.code,
    stderr: run.stderr,
    health,
    checks: Object.fromEntries(checks.map((check) => [check.name, check])),
  };
}

describe("doctor", () => {
  test("says of each part that it is well, and ends with 0", async () => {
    const { code, stderr, health, checks } = await examine();
    // A server of tests may be one that does not wait for its disk.
    const { commits, ...others } = checks;
    expect({ code, stderr, health }).toEqual({
      code: 0,
      stderr: "",
      health: commits?.health ?? "",
    });
    expect(Object.values(others).filter((check) => check.health !== "ok")).toEqual([]);
    expect(Object.keys(checks)).toEqual([
      "settings",
      "database",
      "commits",
      "connections",
      "clock",
      "disk",
      "schema",
      "ledgers",
      "totals",
      "notices",
      "archive",
    ]);
    expect(checks.database?.found).toMatch(/^PostgreSQL \d+\.\d+.*, \d+\.\d MB$/);
    const { stdout } = await operator.run(["doctor"]);
    expect(stdout).toContain("ok    ledgers      all balance\n");
  });

  test("a ledger that does not add up is named, and ends it with 1", async () => {
    const accountId = await gateway.createAccount({ credits: 5 });
    await gateway.sql`update accounts set balance_nanos = 1 where account_id = ${accountId}`;
    const { code, stderr, health, checks } = await examine();
    expect([code, health, checks.ledgers?.health]).toEqual([1, "bad", "bad"]);
    expect(stderr).toBe("feedgate: failed checks: ledgers\n");
    expect(checks.ledgers?.found).toContain(accountId);
    const { stdout } = await operator.run(["doctor"]);
    expect(stdout).toMatch(/^FAIL {2}ledgers {6}1 do not balance: .*\n +→ account show ID/m);
    await gateway.sql`update accounts set balance_nanos = 5000 where account_id = ${accountId}`;
    expect((await examine()).code).toBe(0);
  });

  test("totals that are behind, and settings that are hardly meant, are to be looked at", async () => {
    // No gateway serves from this one, and counts meanwhile.
    const { url, sql } = await connected(createTestDatabase());
    await sql`
      insert into totals_progress (name, complete_until)
      values ('sales', now() - interval '1 hour')`;
    const { code, health, checks } = await examine({
      DATABASE_URL: url,
      FEEDGATE_READ_LIMITS_FREE: "3",
      HOST: "0.0.0.0",
    });
    expect([code, health, checks.settings?.health]).toEqual([0, "low", "low"]);
    expect(checks.settings?.found).toContain("Did you mean FEEDGATE_READ_LIMIT_FREE?");
    expect(checks.settings?.found).toContain("FEEDGATE_BASE_URL is not set");
    expect(checks.totals).toMatchObject({ health: "low", hint: expect.any(String) });
  });

  test("an empty database is left empty, and what is pending is named", async () => {
    const { url, sql } = await connected(createEmptyDatabase());
    const { stdout, code } = await runFeedgate(["doctor", "--json"], { DATABASE_URL: url });
    const { checks }: { checks: Check[] } = JSON.parse(stdout);
    const schema = checks.find(({ name }) => name === "schema");
    expect([code, schema?.health]).toEqual([0, "low"]);
    expect(schema?.found).toMatch(/^pending: 0001_schema.* and \d+ more$/);
    const [left] = await sql`select to_regclass('schema_migrations') as found`;
    expect(left?.found).toBeNull();
    expect(checks.map(({ name }) => name)).not.toContain("ledgers");
  });

  test("a schema that was changed by hand, and one of a newer version, are bad", async () => {
    await gateway.sql`alter table findings rename column detail to details`;
    const changed = await examine();
    expect([changed.code, changed.checks.schema?.health]).toEqual([1, "bad"]);
    expect(changed.checks.schema?.found).toContain("findings");
    await gateway.sql`alter table findings rename column details to detail`;
    await gateway.sql`
      insert into schema_migrations (version, name) values (9999, 'from the future')`;
    const newer = await examine();
    expect([newer.code, newer.checks.schema?.found]).toEqual([
      1,
      expect.stringContaining("run a newer feedgate"),
    ]);
    await gateway.sql`delete from schema_migrations where version = 9999`;
    expect((await examine()).checks.schema?.health).toBe("ok");
  });

  test("a database that can't be reached is named with what to do", async () => {
    const environment = { DATABASE_URL: "postgres://feedgate:secret@127.0.0.1:9/feedgate" };
    const { code, checks } = await examine(environment);
    expect([code, checks.database]).toEqual([
      1,
      {
        name: "database",
        health: "bad",
        found: expect.stringMatching(/^can't be reached \(\w+\)$/),
        hint: expect.stringContaining("DATABASE_URL"),
      },
    ]);
    const mistaken = await operator.run(["doctor"], { PORT: "x" });
    expect([mistaken.code, mistaken.stdout]).toEqual([2, ""]);
  });

  test("mail is looked at where it is set", async () => {
    const { checks } = await examine({
      FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
      FEEDGATE_MAIL_FROM: "feeds@example.com",
    });
    expect(checks.mail).toEqual({ name: "mail", health: "ok", found: "none overdue" });
  });

  test("a replica is read", async () => {
    const { checks } = await examine({ DATABASE_READ_URL: gateway.databaseUrl });
    // The primary is no replica of itself.
    expect(checks.replica).toMatchObject({ health: "low", hint: expect.any(String) });
  });
});

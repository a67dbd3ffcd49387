import { afterEach, describe, expect, test } from "bun:test";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { MIGRATIONS } from "../../../src/postgres/generated/statements.ts";
import { applyMigrations } from "../../../src/postgres/migrate/migrate.ts";
import { operatorOf } from "../../cli/support.ts";
import { createTestDatabase } from "../../support/database.ts";
import { startTestGateway } from "../../support/gateway.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function database() {
  const { url, address } = await createTestDatabase();
  const sql = connect(address, { connectionsMax: 1, statementTimeoutMs: 0 });
  closing.push(() => sql.end());
  return { sql, operator: operatorOf(url, { opensAnew: true }) };
}

/** As a program left it that kept no record of the schema: today's 0.1.0, and those before it. */
async function dropRecord(sql: Connections): Promise<void> {
  await sql`alter table schema_migrations drop column digest, drop column parts`;
}

async function recordOf(sql: Connections) {
  const rows = await sql`select version, digest, parts from schema_migrations order by version`;
  return rows.map(({ version, digest, parts }) => ({ version, digest, parts }));
}

describe("verifySchema", () => {
  test("a database of an older 0001_schema is refused with one line by every command, and stays as it is", async () => {
    const { sql, operator } = await database();
    // What the schema of an unreleased version lacks, under the same number and name.
    await dropRecord(sql);
    await sql`alter table feeds drop column retention_days`;
    await sql`drop table row_totals`;
    for (const argv of [["account", "list"], ["migrate"]]) {
      const { code, stdout, stderr } = await operator.run(argv);
      expect([argv, code, stdout]).toEqual([argv, 1, ""]);
      expect(stderr.split("\n")).toEqual([
        expect.stringMatching(
          /^feedgate: the database's schema differs from this feedgate's \(column feeds\.retention_days, .* more\), and was left as it is: run the feedgate that made it/,
        ),
        "",
      ]);
    }
    const columns = await sql`
      select attname from pg_attribute
      where attrelid = 'schema_migrations'::regclass and attnum > 0 and not attisdropped`;
    expect(columns).toHaveLength(3);
  });

  test("a part that has the same name and another definition is found", async () => {
    const changes = [
      "alter table feeds drop constraint feeds_pricing, add constraint feeds_pricing check (call_price_nanos >= 0)",
      "drop index feeds_account; create index feeds_account on feeds (account_id)",
      "alter table accounts alter column balance_nanos set default 5",
      "alter table feeds disable trigger feeds_listing_folded",
      "create or replace function touch_account() returns trigger language plpgsql as 'begin return null; end'",
    ];
    for (const change of changes) {
      const { sql, operator } = await database();
      await sql.unsafe(change);
      expect([change, (await operator.run(["account", "list"])).code]).toEqual([change, 1]);
    }
  });

  test("a database without a record is accepted if its schema is this program's, and gets one", async () => {
    const { sql, operator } = await database();
    const before = await recordOf(sql);
    expect(before).toHaveLength(MIGRATIONS.length);
    await dropRecord(sql);
    expect(await operator.json("account", "list")).toEqual([]);
    expect(await recordOf(sql)).toEqual(before);
  });

  test("a record of another program or PostgreSQL is made anew if the schema is the same", async () => {
    const { sql, operator } = await database();
    const before = await recordOf(sql);
    // Another PostgreSQL may print a definition in other words.
    await sql`update schema_migrations set parts = replace(parts, 'feeds_pricing ', 'feeds_pricing 0')`;
    await operator.json("account", "list");
    expect(await recordOf(sql)).toEqual(before);
    await sql`update schema_migrations set digest = 'of other texts'`;
    await operator.json("account", "list");
    expect(await recordOf(sql)).toEqual(before);
  });

  test("what an operator adds of his own is no part of it", async () => {
    const { sql, operator } = await database();
    const before = await recordOf(sql);
    await sql.unsafe(`
      create schema own;
      create table own.feeds (feed_id uuid);
      create table notes (note text);
      create index notes_of_feeds on feeds (created_at);
      create function own_note() returns trigger language plpgsql as 'begin return new; end';
      create trigger own_note after insert on accounts for each row execute function own_note();
      comment on table feeds is 'own'`);
    expect(await operator.json("account", "list")).toEqual([]);
    expect(await recordOf(sql)).toEqual(before);
  });
});

describe("readyz", () => {
  test("readyz is 503 while a part of the schema is missing, and does not name it", async () => {
    const gateway = await startTestGateway();
    closing.push(() => gateway.stop());
    const sql = connect({ url: gateway.databaseUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
    closing.push(() => sql.end());
    await sql`drop index feeds_account`;
    const refused = await gateway.get("/readyz");
    expect(refused.status).toBe(503);
    const text = await refused.text();
    expect(text).toContain("schema");
    expect(text).not.toContain("feeds_account");
    await sql`create index feeds_account on feeds (account_id, created_at, feed_id)`;
    expect((await gateway.get("/readyz")).status).toBe(200);
  });

  test("a gateway stays ready when a newer program migrates the database further", async () => {
    const gateway = await startTestGateway();
    closing.push(() => gateway.stop());
    const sql = connect({ url: gateway.databaseUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
    closing.push(() => sql.end());
    await sql`create table own_notes (note text)`;
    const newer = {
      name: "9999_newer",
      text: "create table newer (id int); drop index feeds_account; alter table feeds add column newer int",
    };
    await applyMigrations(sql, [...MIGRATIONS, newer]);
    expect((await gateway.get("/readyz")).status).toBe(200);
    const record = (await recordOf(sql)).at(-1);
    expect(record?.parts).toContain("column feeds.newer ");
    expect(record?.parts).not.toContain("own_notes");
  });
});

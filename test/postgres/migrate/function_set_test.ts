import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { FUNCTIONS, MIGRATIONS, STATEMENTS } from "../../../src/postgres/generated/statements.ts";
import { FUNCTION_SCHEMA, inFunctionSet } from "../../../src/postgres/migrate/function_set.ts";
import { migrate } from "../../../src/postgres/migrate/migrate.ts";
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from "../../support/database.ts";
import { whenBusy } from "../../support/pace.ts";

const names = FUNCTIONS.map(({ name }) => name).join("|");
const withoutComments = (text: string) => text.replace(/^\s*--.*$/gm, "");

let database: TestDatabase;
let sql: Connections;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.address, { connectionsMax: 1, statementTimeoutMs: 0 });
});
afterAll(() => sql.end());

describe("inFunctionSet", () => {
  test("inFunctionSet qualifies calls and definitions, and nothing else of such a name", () => {
    const text =
      "select save_feed(1), x.save_feed(2), save_feed.fields, save_feed (3), resave_feed(4)";
    expect(inFunctionSet(text)).toBe(
      `select ${FUNCTION_SCHEMA}.save_feed(1), x.save_feed(2), save_feed.fields, save_feed (3), resave_feed(4)`,
    );
    expect(inFunctionSet("create or replace function push_stream(\n")).toBe(
      `create or replace function ${FUNCTION_SCHEMA}.push_stream(\n`,
    );
  });

  test("inFunctionSet misses no call, because only aliases have a blank before their parenthesis", () => {
    const escaped = new RegExp(`(?<!as )\\b(?:${names})\\s+\\(`);
    const texts = [...Object.values(STATEMENTS), ...FUNCTIONS.map(({ text }) => text)];
    expect(texts.map(withoutComments).filter((text) => escaped.test(text))).toEqual([]);
  });

  test("migrations and triggers call no function of a program", () => {
    const called = new RegExp(`\\b(?:${names})\\(`);
    const migrations = MIGRATIONS.filter(({ text }) => called.test(withoutComments(text)));
    expect(migrations.map(({ name }) => name)).toEqual([]);
    const bound = new RegExp(`\\breturns trigger\\b|\\bexecute function (?:${names})\\(`);
    const triggers = FUNCTIONS.filter(({ text }) => bound.test(withoutComments(text)));
    expect(triggers.map(({ name }) => name)).toEqual([]);
  });
});

describe("keepFunctionSet", () => {
  test("the newest function sets of other programs stay, older ones go, and other schemas are left alone", async () => {
    const number = (count: number) => String(count).padStart(12, "0");
    const sets = Array.from({ length: 22 }, (_, count) => `feedgate_${number(count)}`);
    for (const set of ["feedgate_reports", ...sets]) {
      await sql.unsafe(`create schema ${set}`);
      await sql.unsafe(`create function ${set}.answer() returns int language sql as 'select 42'`);
      await sql.unsafe(
        `create function ${set}.twice() returns int language sql begin atomic select ${set}.answer() * 2; end`,
      );
    }
    // Ours was made first; without it, it is made anew.
    expect((await migrate(sql)).functions).toBe(false);
    await sql.unsafe(`drop schema ${FUNCTION_SCHEMA} cascade`);
    expect((await migrate(sql)).functions).toBe(true);
    const schemas = await sql`select nspname from pg_namespace where nspname like 'feedgate%'`;
    expect(schemas.map(({ nspname }) => nspname).sort()).toEqual(
      [...sets.slice(3), FUNCTION_SCHEMA, "feedgate_reports"].sort(),
    );
    expect((await migrate(sql)).functions).toBe(false);
  });

  test("a role that may not create a schema, or tables, gets a message that says what it needs, and with both it migrates", async () => {
    const empty = await createEmptyDatabase();
    const admin = connect({ url: empty.url }, { connectionsMax: 1, statementTimeoutMs: 0 });
    const database = new URL(empty.url).pathname.slice(1);
    await admin.unsafe("create role confined login");
    const confined = connect(
      { url: empty.url.replace("postgres@", "confined@") },
      { connectionsMax: 1, statementTimeoutMs: 0 },
    );
    await expect(migrate(confined)).rejects.toThrow(/on the tables' schema/);
    await admin.unsafe("grant create on schema public to confined");
    await expect(migrate(confined)).rejects.toThrow(/grant it CREATE on the database/);
    await admin.unsafe(`grant create on database ${database} to confined`);
    expect((await migrate(confined)).functions).toBe(true);
    await confined.end();
    // As after an upgrade: in a session that has not used pg_trgm yet.
    await admin.unsafe(`drop schema ${FUNCTION_SCHEMA} cascade`);
    const later = connect(
      { url: empty.url.replace("postgres@", "confined@") },
      { connectionsMax: 1, statementTimeoutMs: 0 },
    );
    expect(await migrate(later)).toMatchObject({ functions: true, hasTrigrams: true });
    await later.end();
    await admin.unsafe("drop owned by confined; drop role confined");
    await admin.end();
  });
});

describe("migrate", () => {
  test("a migration that makes partitions of later months holds up no read, whoever holds the usage log", async () => {
    const { address } = await createTestDatabase();
    const [holder, starting, reading] = [1, 2, 3].map(() =>
      connect(address, { connectionsMax: 1, statementTimeoutMs: 0 }),
    );
    const months = () =>
      reading?.unsafe(
        "select relname from pg_class where relname ~ '^usage_events_\\d{4}_\\d\\d$' order by relname",
      ) as Promise<{ relname: string }[]>;
    const before = await months();
    await starting?.unsafe(`drop table ${before.at(-1)?.relname}`);
    await holder?.unsafe("begin; lock table usage_events in access share mode");
    const startedMs = performance.now();
    await migrate(starting as Connections);
    await reading?.unsafe("select from usage_events");
    expect(performance.now() - startedMs).toBeLessThan(whenBusy(3_000));
    expect(await months()).toHaveLength(before.length - 1);
    await holder?.unsafe("rollback");
    await migrate(starting as Connections);
    expect(await months()).toEqual(before);
    await Promise.all([holder, starting, reading].map((each) => each?.end()));
  });
});

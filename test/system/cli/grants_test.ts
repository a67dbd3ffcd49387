/** A role that can't change the schema, with what `feedgate grants` prints and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createJobs } from "../../../src/jobs/jobs.ts";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { createDatabase } from "../../../src/postgres/client/database.ts";
import { LINEAGE_QUERY, readLineage } from "../../../src/postgres/client/timelines.ts";
import { MIGRATIONS } from "../../../src/postgres/generated/statements.ts";
import { FUNCTION_SCHEMA } from "../../../src/postgres/migrate/function_set.ts";
import { type Operator, operatorOf, refused } from "../../cli/support.ts";
import { createEmptyDatabase, createTestDatabase, siblingUrl } from "../../support/database.ts";
import { insertKey } from "../../support/insert_key.ts";
import { TYPED } from "../../support/program.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";

/** Its name must be quoted. */
const ROLE = `App "${process.pid}"`;
const QUOTED = `"${ROLE.replaceAll('"', '""')}"`;
const OLD_MONTH = "2020-01-01T00:00:00Z";

let owner: Connections;
let operator: Operator;
let roleUrl: string;

function asRole(url: string): string {
  return url.replace("postgres@", `${encodeURIComponent(ROLE)}@`);
}

beforeAll(async () => {
  const { url, ownUrl } = await createTestDatabase();
  owner = connect({ url: ownUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
  operator = operatorOf(url, { opensAnew: true });
  roleUrl = asRole(url);
  await owner.unsafe(`create role ${QUOTED} login`);
});
afterAll(async () => {
  await owner.unsafe(`drop owned by ${QUOTED}; drop role ${QUOTED}`);
  await owner.end();
});

/** Applies what the command prints. */
async function applyGrants(): Promise<void> {
  const { code, stdout } = await operator.run(["grants", "--role", ROLE]);
  expect(code).toBe(0);
  await owner.unsafe(stdout);
}

describe("grants", () => {
  test("without the grants, serve --no-migrate refuses in one line that says what to run", async () => {
    const run = () =>
      operator.run(["serve", "--no-migrate", "--port", "0"], { DATABASE_URL: roleUrl });
    refused(await run(), "can't read the tables", "feedgate grants");
    await owner.unsafe(`grant select on schema_migrations to ${QUOTED}`);
    refused(await run(), "can't use this version's functions", "feedgate grants");
  });

  test("grants prints the same statements as text and as JSON", async () => {
    const { stdout } = await operator.run(["grants", "--role", ROLE]);
    expect(await operator.json("grants", "--role", ROLE)).toEqual({
      role: ROLE,
      statements: stdout.trimEnd().split("\n"),
    });
  });

  describe("a role with them", () => {
    let gateway: ServedGateway;
    let readKey: string;
    let writeKey: string;
    beforeAll(async () => {
      await applyGrants();
      gateway = await serveGateway(["serve", "--no-migrate"], { DATABASE_URL: roleUrl });
      const [account] = await owner`
        insert into accounts (name, max_feeds_allowed, balance_nanos)
        values ('Acme', 9, 0) returning account_id`;
      readKey = await insertKey(owner, account?.account_id, "read");
      writeKey = await insertKey(owner, account?.account_id, "write");
    });
    afterAll(() => gateway.stop());

    test("can't change the schema", async () => {
      const role = connect({ url: roleUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
      for (const statement of [
        "create table public.own (a int)",
        "create schema own",
        "alter table feeds add column own int",
        "drop table feeds",
        "delete from schema_migrations",
      ]) {
        expect(await role.unsafe(statement).catch(({ code }) => code)).toBe("42501");
      }
      await role.end();
    });

    test("can't take out what proves where money went", async () => {
      // As a version before granted it.
      await owner.unsafe(`grant update, delete on credit_ledger, audit_events to ${QUOTED}`);
      await applyGrants();
      const role = connect({ url: roleUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
      for (const statement of [
        "delete from credit_ledger",
        "update credit_ledger set amount_nanos = 0",
        "delete from audit_events",
        "update audit_events set actor = 'nobody'",
        "delete from usage_events",
        "delete from purchases",
        "delete from payouts",
      ]) {
        expect([statement, await role.unsafe(statement).catch(({ code }) => code)]).toEqual([
          statement,
          "42501",
        ]);
      }
      // The job that removes old events removes none of today.
      await owner`insert into audit_events (actor, action) values ('test', 'kept')`;
      await role.unsafe(
        `select ${FUNCTION_SCHEMA}.remove_aged_audit(now() + interval '9 years', interval '0', 1000000)`,
      );
      const kept = await owner`select from audit_events where actor = 'test' and action = 'kept'`;
      expect(kept).toHaveLength(1);
      await role.end();
    });

    test("serves all that a gateway does: create, push, edit, read, filter, search, delete", async () => {
      const call = async (method: string, path: string, body?: unknown) => {
        const key = path.startsWith("/provider") ? writeKey : readKey;
        const response = await fetch(`${gateway.baseUrl}/v1${path}`, {
          method,
          headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        return { status: response.status, text: await response.text() };
      };
      const created = await call("POST", "/provider/feed/create", {
        name: "Tides",
        description: "High and low water",
        endpoint_path: "tides",
        feed_type: "collection",
        schema_definition: { type: "object" },
      });
      expect(created).toMatchObject({ status: 201 });
      const id = JSON.parse(created.text).id as string;
      const steps = [
        [
          "POST",
          `/provider/feed/${id}/push`,
          [
            { id: 1, port: "Brest" },
            { id: 2, port: "Dover" },
          ],
        ],
        ["PATCH", `/provider/feed/${id}/edit`, { category: "Sea" }],
        ["GET", "/feed/tides"],
        ["GET", "/feed/tides?port=eq.Dover"],
        ["GET", "/feed/tides/metadata"],
        ["GET", "/search?q=tides"],
        ["GET", "/catalog"],
        ["GET", "/usage"],
        ["DELETE", `/provider/feed/${id}/rows?ids=1`],
        ["GET", "/provider/feeds"],
      ] as const;
      for (const [method, path, body] of steps) {
        expect({ path, ...(await call(method, path, body)) }).toMatchObject({ path, status: 200 });
      }
      expect(await call("DELETE", `/provider/feed/${id}`)).toMatchObject({ status: 204 });
    });

    test("runs each background job, and so makes and drops partitions of the usage log", async () => {
      await owner`select create_usage_partitions(${OLD_MONTH}::timestamptz, 0)`;
      const [newest] = await owner`
        select relname as name from pg_class
        where relname ~ '^usage_events_\\d{4}_\\d\\d$' order by relname desc limit 1`;
      await owner.unsafe(`drop table ${newest?.name}`);
      const database = createDatabase(
        connect({ url: roleUrl }, { connectionsMax: 1, statementTimeoutMs: 0 }),
      );
      const jobs = createJobs({
        usageRetentionDays: 400,
        auditRetentionDays: 400,
        flushKeyUses: async () => {},
      });
      for (const job of jobs) {
        await owner`delete from maintenance_jobs where name = ${job.name}`;
        while (await job.step(database));
      }
      const partitions = await owner`
        select relname as name from pg_class where relname in (${newest?.name}, 'usage_events_2020_01')`;
      expect([...partitions]).toEqual([{ name: newest?.name }]);
      await database.connections.end();
    });

    test("runs an operator's commands", async () => {
      const asApp = operatorOf(roleUrl, { opensAnew: true });
      const account = (await asApp.json("account", "create", "--name", "By the role")) as {
        id: string;
      };
      await asApp.json("key", "create", "--account", account.id, "--permission", "read");
      await asApp.json(
        ...["credits", "grant", "--account", account.id, "--credits", "5", "--reason", "test"],
      );
      expect(await asApp.json("audit")).toContainEqual(
        expect.objectContaining({ account_id: account.id }),
      );
    });
  });

  test("a role may ask for the server's timeline, and one that may not can do all the same", async () => {
    const role = connect({ url: roleUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
    const [row] = await role.unsafe(LINEAGE_QUERY);
    expect(readLineage(row?.lineage)).toEqual({
      system: expect.stringMatching(/^\d+$/),
      timeline: expect.any(Number),
    });
    await role.end();
    await owner`revoke execute on function pg_control_system() from public`;
    expect(await operatorOf(roleUrl, { opensAnew: true }).json("account", "list")).toBeArray();
  });

  test("a database of another encoding than UTF-8 is refused in one line that says how to make one", async () => {
    const { url } = await createEmptyDatabase();
    const admin = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
    const name = `latin_${crypto.randomUUID().slice(0, 8)}`;
    await admin.unsafe(`create database ${name} encoding LATIN1 locale 'C' template template0`);
    const other = siblingUrl(url, name);
    for (const words of [["migrate"], ["serve", "--port", "0"]]) {
      refused(
        await operatorOf(other, { opensAnew: true }).run(words),
        "encoding is LATIN1",
        "createdb --encoding=UTF8",
      );
    }
    await admin.unsafe(`drop database ${name}`);
    await admin.end();
  });

  test("a database that is behind is refused by serve --no-migrate, and left as it is", async () => {
    const run = (url: string) =>
      operator.run(["serve", "--no-migrate", "--port", "0"], { DATABASE_URL: url });
    const empty = await createEmptyDatabase();
    refused(await run(empty.url), "no schema yet", `${TYPED} migrate`);
    const behind = await createTestDatabase();
    const sql = connect({ url: behind.url }, { connectionsMax: 1, statementTimeoutMs: 0 });
    await sql.unsafe(`drop schema ${FUNCTION_SCHEMA} cascade`);
    refused(await run(behind.url), "does not have this version's functions yet");
    const newest = MIGRATIONS.length;
    await sql`delete from schema_migrations where version = ${newest}`;
    refused(await run(behind.url), `has schema ${newest - 1}`, `needs ${newest}`);
    await sql.end();
  });
});

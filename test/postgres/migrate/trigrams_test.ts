import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { generateKey, hashKey, startOf } from "../../../src/accounts/key_format.ts";
import { readConfig } from "../../../src/config.ts";
import { createLog } from "../../../src/lib/log.ts";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { type Gateway, startGateway } from "../../../src/server.ts";
import { createEmptyDatabase } from "../../support/database.ts";

let url: string;
let sql: Connections;
let key: string;

/** A gateway and the lines that it has logged. */
async function start(): Promise<{ gateway: Gateway; lines: string[] }> {
  const lines: string[] = [];
  const log = createLog({ level: "info", isReadable: false, write: (line) => lines.push(line) });
  const config = readConfig({ PORT: "0", DATABASE_URL: url });
  return { gateway: await startGateway(config, log), lines };
}

async function search(gateway: Gateway, q: string): Promise<number> {
  const response = await fetch(`${gateway.baseUrl}/v1/search?q=${q}`, {
    headers: { "x-api-key": key },
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { total: number }).total;
}

beforeAll(async () => {
  ({ url } = await createEmptyDatabase());
  sql = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
  // As where the extension is not installed, or where the role may not create it.
  await sql.unsafe(`
    create function refuse() returns event_trigger language plpgsql as $$
    begin
      raise insufficient_privilege using message = 'permission denied to create extension';
    end
    $$;
    create event trigger no_extensions on ddl_command_start
    when tag in ('CREATE EXTENSION') execute function refuse();`);
});
afterAll(() => sql.end());

describe("without pg_trgm", () => {
  test("without pg_trgm the gateway starts, says so in one line, and searches for whole words", async () => {
    const { gateway, lines } = await start();
    expect(lines.filter((line) => line.includes("pg_trgm"))).toHaveLength(1);
    expect(JSON.parse(lines.find((line) => line.includes("pg_trgm")) ?? "{}")).toMatchObject({
      level: "warn",
    });
    key = generateKey("read");
    await sql`
      with account as (
        insert into accounts (name, max_feeds_allowed) values ('Acme', 9) returning account_id
      ),
      key as (
        insert into api_keys (account_id, key_hash, key_start, permission)
        select account_id, ${hashKey(key)}, ${startOf(key)}, 'read' from account
      )
      insert into feeds (
        account_id, name, endpoint_path, status, first_pushed_at, call_price_nanos, is_public
      )
      select account_id, 'Earthquakes', 'earthquakes', 'active', now(), 0, true from account`;
    expect(await search(gateway, "earthquakes")).toBe(1);
    expect(await search(gateway, "earthquaqes")).toBe(0);
    await gateway.stop();
  });

  test("when pg_trgm may be created, the next start creates it, and search finds misspelled names", async () => {
    await sql.unsafe("drop event trigger no_extensions");
    const { gateway, lines } = await start();
    expect(lines.filter((line) => line.includes("pg_trgm"))).toEqual([]);
    expect(await search(gateway, "earthquaqes")).toBe(1);
    await gateway.stop();
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { RUNS_MAX, retryRolledBack } from "../../../src/postgres/client/retry_statement.ts";
import { createTestDatabase } from "../../support/database.ts";
import { lockWaiters } from "../../support/lock_waiters.ts";

let sql: Connections;
let others: Connections;
let runs: number;

beforeAll(async () => {
  const { address } = await createTestDatabase();
  sql = connect(address, { connectionsMax: 1, statementTimeoutMs: 0 });
  others = connect(address, { connectionsMax: 1, statementTimeoutMs: 0 });
  await sql`create table counters (counter_id int primary key, count int not null)`;
  await sql`insert into counters values (1, 0), (2, 0)`;
});

afterAll(() => Promise.all([sql.end(), others.end()]));

/** Adds one to both counters, in one statement that takes their locks in this order. */
function countBoth() {
  runs += 1;
  return sql`
    do $$ begin
      update counters set count = count + 1 where counter_id = 1;
      update counters set count = count + 1 where counter_id = 2;
    end $$`;
}

async function counts() {
  const rows = await sql`select count from counters order by counter_id`;
  return rows.map(({ count }) => count);
}

describe("retryRolledBack", () => {
  test("a statement that lost a deadlock runs again, and takes effect once", async () => {
    runs = 0;
    await sql`update counters set count = 0`;
    // PostgreSQL looks once, so late that both wait by then.
    await sql`set deadlock_timeout = '3s'`;
    await others`set deadlock_timeout = '1h'`;
    await others`begin`;
    await others`update counters set count = 10 where counter_id = 2`;
    const counting = retryRolledBack(countBoth);
    await lockWaiters(others);
    // Waits for the first counter's lock, whose holder waits for the second's.
    await others`update counters set count = 10 where counter_id = 1`;
    await others`commit`;
    await counting;
    // The second try may meet the other transaction once more.
    expect(runs).toBeGreaterThanOrEqual(2);
    expect(await counts()).toEqual([11, 11]);
  });

  test("a statement that failed to serialize runs again, and takes effect once", async () => {
    runs = 0;
    await sql`update counters set count = 0`;
    await sql`set default_transaction_isolation = 'repeatable read'`;
    await others`begin`;
    await others`update counters set count = 10`;
    const counting = retryRolledBack(countBoth);
    await lockWaiters(others);
    await others`commit`;
    await counting;
    expect(runs).toBe(2);
    expect(await counts()).toEqual([11, 11]);
  });

  test("a statement runs at most RUNS_MAX times, and then its error is thrown", async () => {
    runs = 0;
    const failing = retryRolledBack(() => {
      runs += 1;
      return sql`do $$ begin raise sqlstate '40P01'; end $$`;
    });
    expect(await failing.catch((error) => error.code)).toBe("40P01");
    expect(runs).toBe(RUNS_MAX);
  });

  test("a statement that fails with another error does not run again", async () => {
    runs = 0;
    const failing = retryRolledBack(() => {
      runs += 1;
      return sql`select 1 / 0`;
    });
    expect(await failing.catch((error) => error.code)).toBe("22012");
    expect(runs).toBe(1);
  });
});

/**
 * A clock of the database that a test can set. Its functions precede PostgreSQL's own in the search path of every
 * session that is opened with the address given here.
 *
 * @module
 */
import type { Connections } from "../../src/postgres/client/connect.ts";

export interface TestClock {
  /** The database's address, with the clock in the search path. */
  readonly url: string;
  /** Sets the clock this many milliseconds ahead of the real one; behind it if negative. */
  setAhead(ms: number): Promise<void>;
}

export async function installClock(sql: Connections, databaseUrl: string): Promise<TestClock> {
  await sql.unsafe(`
    create schema test_clock;
    create table test_clock.setting (ahead interval not null);
    insert into test_clock.setting values ('0');
    create function test_clock.clock_timestamp() returns timestamptz
    language sql volatile
    as 'select pg_catalog.clock_timestamp() + ahead from test_clock.setting';
    -- As a gateway makes them that migrates with this clock in front, and compares the schema with that.
    do $$
    declare
      timed record;
    begin
      for timed in
        select adrelid::regclass as table_name, attname as column_name
        from pg_attrdef
        join pg_attribute on attrelid = adrelid and attnum = adnum
        where pg_get_expr(adbin, adrelid) = 'clock_timestamp()'
      loop
        execute format(
          'alter table %s alter column %I set default test_clock.clock_timestamp()',
          timed.table_name, timed.column_name
        );
      end loop;
    end
    $$;
  `);
  return {
    url: `${databaseUrl}&search_path=test_clock,pg_catalog,public`,
    async setAhead(ms) {
      await sql`update test_clock.setting set ahead = ${`${ms} milliseconds`}::interval`;
    },
  };
}

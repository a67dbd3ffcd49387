/** @jsxImportSource preact */
/**
 * The newest calls of the usage log.
 *
 * @module
 */
import type { UsageRow } from "../../../accounts/usage_event.ts";
import { Table } from "../../layout/parts.tsx";
import { callColumns, namedCalls } from "../account_usage.tsx";
import { columnOf } from "../listed_table.tsx";
import type { Visit } from "../visit.ts";

export async function newestCalls(visit: Visit, usage: readonly UsageRow[]) {
  return (
    <Table
      label="Usage log"
      rows={await namedCalls(visit, usage)}
      columns={callColumns(visit).map(columnOf)}
      empty={
        <>
          No calls yet. Browse the <a href={`${visit.root}/console/catalog`}>catalog</a>.
        </>
      }
    />
  );
}

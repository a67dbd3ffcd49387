/** @jsxImportSource preact */
/**
 * The keys of a consumer's account. An operator makes and ends them; agents that are connected are ended on the home.
 *
 * @module
 */
import { present } from "../../../lib/assert.ts";
import { parseUuid } from "../../../lib/uuid.ts";
import { listKeys } from "../../../operator/keys.ts";
import { digits, Table, Text, Time } from "../../layout/parts.tsx";
import { KeyState } from "../key_state.tsx";
import { Next } from "../lists.tsx";
import { spendingOf } from "../spending_chart.tsx";
import type { PageRoute } from "../visit.ts";

const LISTED = 50;

export const OWN_KEYS: PageRoute = {
  path: "own-keys",
  async show(visit) {
    const { id: accountId } = present(visit.session.account);
    // Nothing but an id, so that nobody can try beginnings of keys here.
    const cursor = parseUuid(visit.query.get("cursor") ?? "");
    const asked = { account_id: accountId, limit: LISTED, ...(cursor !== undefined && { cursor }) };
    const [page, spending] = await Promise.all([
      listKeys(visit.operator, asked),
      spendingOf(visit, accountId, "key"),
    ]);
    const spentBy = new Map(spending.groups.map((group) => [group.key_id, group.spent_credits]));
    return {
      title: "Keys",
      content: (
        <>
          <h1>Keys of this account</h1>
          <p class="lead">
            A key itself was shown once, when it was made. For a new one, or if one has leaked,
            write to the operator.
          </p>
          <Table
            label="Keys"
            rows={page.entries}
            columns={[
              {
                head: "Key",
                kind: "id",
                cell: (row) => (
                  <>
                    <code>{row.key_start}…</code>
                    {row.id === visit.session.keyId && <span class="soft"> this session</span>}
                  </>
                ),
              },
              { head: "Name", cell: (row) => <Text of={row.name} /> },
              { head: "Permission", cell: (row) => row.permission },
              {
                head: "Credits a day",
                kind: "num",
                cell: ({ daily_credits: daily }) => (daily === null ? "no limit" : digits(daily)),
              },
              {
                head: "Spent in 30 days",
                kind: "num",
                cell: (row) => digits(spentBy.get(row.id) ?? 0),
              },
              { head: "State", cell: (row) => <KeyState of={row} /> },
              { head: "Last used", kind: "when", cell: (row) => <Time of={row.last_used_at} /> },
              {
                head: "Ends",
                kind: "when",
                cell: (row) => (row.expires_at === null ? "never" : <Time of={row.expires_at} />),
              },
            ]}
            empty="There is no key."
          />
          <Next visit={visit} cursor={page.nextCursor} />
        </>
      ),
    };
  },
};

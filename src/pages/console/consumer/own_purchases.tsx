/** @jsxImportSource preact */
/**
 * The purchases of a consumer.
 *
 * @module
 */
import type { PurchasesPage } from "../../../consumer/list_purchases.ts";
import { fileOf, type ListedTable, listedTable } from "../listed_table.tsx";
import { FeedLink } from "../lists.tsx";
import { findNames } from "../names.ts";
import { ALL_TIME, hasRange, RangeLinks, rangeOf } from "../shown_range.tsx";
import type { PageRoute, Visit } from "../visit.ts";
import { readPurchases } from "./own_records.ts";

const LISTED = 50;

export const OWN_PURCHASES: PageRoute = {
  path: "purchases",
  download: (visit) => fileOf(visit, [purchasesTable(visit)]),
  async show(visit) {
    return {
      title: "Purchases",
      content: (
        <>
          <h1>Purchases</h1>
          <p class="lead">Reads of these feeds are free.</p>
          <RangeLinks visit={visit} range={rangeOf(visit, "12m")} another={ALL_TIME} />
          {await purchasesTable(visit).show()}
        </>
      ),
    };
  },
};

type Bought = PurchasesPage["purchases"][number] & { readonly hasPage: boolean };

function purchasesTable(visit: Visit): ListedTable {
  const isOfRange = hasRange(visit);
  const { since, until } = rangeOf(visit);
  return listedTable<Bought>(visit, {
    name: "purchases",
    label: "Purchases",
    rows: LISTED,
    empty: isOfRange ? (
      "No purchases in this period."
    ) : (
      <>
        No purchases yet. Feeds with a one-time price are in the{" "}
        <a href={`${visit.root}/console/catalog`}>catalog</a>.
      </>
    ),
    async read(part) {
      const page = await readPurchases(visit, part, isOfRange ? { since, until } : {});
      const { purchases, next_cursor: nextCursor } = page;
      const { hasPage } = await findNames(
        visit,
        purchases.map((row) => row.feed_id),
      );
      const entries = purchases.map((row) => ({ ...row, hasPage: hasPage(row.feed_id) }));
      return { entries, nextCursor };
    },
    columns: [
      {
        head: "Feed",
        text: (row) => row.endpoint_path,
        cell: ({ feed_id: id, endpoint_path: slug, hasPage }) => (
          <FeedLink visit={visit} id={id} name={slug} hasPage={hasPage} />
        ),
      },
      { head: "When", kind: "when", text: (row) => row.purchased_at },
      { head: "Price", kind: "usd", text: (row) => row.price.usd },
      { head: "Paid from", text: (row) => row.paid_from },
    ],
  });
}

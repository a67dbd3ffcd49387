/** @jsxImportSource preact */
/**
 * What a consumer has bought.
 *
 * @module
 */
import { Table, Time, Usd } from "../../layout/parts.tsx";
import { FeedLink, Next } from "../lists.tsx";
import { findNames } from "../names.ts";
import type { PageRoute } from "../visit.ts";
import { readPurchases } from "./own_records.ts";

const LISTED = 50;

export const OWN_PURCHASES: PageRoute = {
  path: "purchases",
  async show(visit) {
    const list = await readPurchases(visit, LISTED);
    const { hasPage } = await findNames(
      visit,
      list.purchases.map((row) => row.feed_id),
    );
    return {
      title: "Bought",
      content: (
        <>
          <h1>Bought</h1>
          <p class="lead">Reads of these feeds are free.</p>
          <Table
            label="Purchases"
            rows={list.purchases}
            columns={[
              {
                head: "Feed",
                cell: ({ feed_id: id, endpoint_path: slug }) => (
                  <FeedLink visit={visit} id={id} name={slug} hasPage={hasPage(id)} />
                ),
              },
              { head: "When", kind: "when", cell: (row) => <Time of={row.purchased_at} /> },
              { head: "Price", kind: "num", cell: (row) => <Usd of={row.price.usd} /> },
              { head: "Paid from", cell: (row) => row.paid_from },
            ]}
            empty={
              <>
                Nothing was bought yet. Feeds with a one-time price are in the{" "}
                <a href={`${visit.root}/console/catalog`}>catalog</a>.
              </>
            }
          />
          <Next visit={visit} cursor={list.next_cursor} />
        </>
      ),
    };
  },
};

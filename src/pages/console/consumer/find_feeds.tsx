/** @jsxImportSource preact */
/**
 * The catalog, with a search.
 *
 * @module
 */
import { type FoundFeed, findShownFeeds } from "../../../access/account_access.ts";
import { present } from "../../../lib/assert.ts";
import { AccessMark } from "../../layout/access_text.tsx";
import { Table, Text } from "../../layout/parts.tsx";
import { priceText } from "../../layout/price_text.ts";
import { FilterForm } from "../act_form.tsx";
import { FeedLink, listQuery, Next, nextOffset } from "../lists.tsx";
import { bodyOf } from "../own_api.ts";
import type { PageRoute } from "../visit.ts";

interface Hit {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
}

/** A page of the catalog, or of a search. */
interface Found {
  readonly feeds?: readonly Hit[];
  readonly results?: readonly Hit[];
  readonly has_more: boolean;
}

const LISTED = 50;

export const FIND_FEEDS: PageRoute = {
  path: "catalog",
  async show(visit) {
    const words = visit.query.get("q")?.trim() ?? "";
    const place = listQuery(visit, { limit: LISTED, names: words === "" ? [] : ["q"] });
    const page = bodyOf(
      await visit.ask<Found>(words === "" ? `/v1/catalog${place}` : `/v1/search${place}`),
    );
    const hits = page.feeds ?? page.results ?? [];
    const { find } = await findShownFeeds(
      visit.services.database,
      present(visit.session.account).id,
      hits.map((row) => row.id),
    );
    const next = nextOffset(visit, { shown: hits.length, hasMore: page.has_more });
    return {
      title: "Catalog",
      content: (
        <>
          <h1>Catalog</h1>
          <FilterForm
            query={visit.query}
            button="Search"
            fields={[{ name: "q", label: "Search the catalog", kind: "search" }]}
          />
          <Table
            label="Feeds"
            rows={hits}
            columns={[
              {
                head: "Feed",
                cell: (row) => (
                  <>
                    <FeedLink visit={visit} id={row.id} name={row.name} />{" "}
                    <AccessMark of={find(row.id)?.access} />
                  </>
                ),
              },
              { head: "Description", cell: (row) => <Text of={row.description} /> },
              { head: "Category", cell: (row) => <Text of={row.category} /> },
              { head: "Price", cell: (row) => priceOf(find(row.id)) },
            ]}
            empty="No feeds found. Try fewer or different words."
          />
          <Next visit={visit} by="offset" cursor={next} />
        </>
      ),
    };
  },
};

/** Nothing of a feed that was deleted since the list was read. */
function priceOf(feed: FoundFeed | undefined): string | undefined {
  return feed && priceText(feed);
}

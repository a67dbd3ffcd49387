/** @jsxImportSource preact */
/**
 * The catalog, with a search.
 *
 * @module
 */
import { Table, Text } from "../../ui/parts.tsx";
import { FilterForm } from "../act_form.tsx";
import { FeedLink } from "../lists.tsx";
import { bodyOf } from "../own_api.ts";
import type { PageRoute } from "../visit.ts";

interface Hit {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly pricing: string;
}

export const FIND_FEEDS: PageRoute = {
  path: "catalog",
  async show(visit) {
    const words = visit.query.get("q")?.trim() ?? "";
    const hits =
      words === ""
        ? bodyOf(await visit.ask<{ readonly feeds: readonly Hit[] }>("/v1/catalog?limit=50")).feeds
        : bodyOf(
            await visit.ask<{ readonly results: readonly Hit[] }>(
              `/v1/search?limit=50&q=${encodeURIComponent(words)}`,
            ),
          ).results;
    return {
      title: "Catalog",
      content: (
        <>
          <h1>Catalog</h1>
          <FilterForm
            query={visit.query}
            button="Search"
            fields={[{ name: "q", label: "Words", kind: "search" }]}
          />
          <Table
            label="Feeds"
            rows={hits}
            columns={[
              {
                head: "Feed",
                cell: (row) => <FeedLink visit={visit} id={row.id} name={row.name} />,
              },
              { head: "What it is", cell: (row) => <Text of={row.description} /> },
              { head: "Category", cell: (row) => <Text of={row.category} /> },
              { head: "Price", cell: (row) => row.pricing },
            ]}
            empty="No feed is found by these words. Try fewer, or others."
          />
        </>
      ),
    };
  },
};

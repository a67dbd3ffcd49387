/** @jsxImportSource preact */
/**
 * Finds accounts and feeds by a part of their name. Also returns JSON, for inputs that suggest names while a person
 * types.
 *
 * @module
 */
import { searchAccounts } from "../../../operator/accounts.ts";
import { searchFeeds } from "../../../operator/feeds.ts";
import { FilterForm } from "../act_form.tsx";
import type { Download, PageRoute, Visit } from "../visit.ts";
import { accountsTable } from "./accounts_list.tsx";
import { feedsTable } from "./feed_table.tsx";
import { partOf, suggest } from "./picks.ts";

const LISTED = 10;

export const FIND_ANYTHING: PageRoute = {
  path: "find",
  download: suggestions,
  async show(visit) {
    const part = partOf(visit);
    const limit = LISTED;
    const [accounts, feeds] =
      part === ""
        ? [undefined, undefined]
        : await Promise.all([
            accountsTable(visit, {
              empty: "No accounts match.",
              read: () => searchAccounts(visit.operator, { part, order: "newest", limit }),
            }).show(),
            feedsTable(visit, {
              empty: "No feeds match.",
              read: () => searchFeeds(visit.operator, { part, limit }),
            }).show(),
          ]);
    return {
      title: "Find",
      content: (
        <>
          <h1>Find an account or feed</h1>
          <FilterForm
            query={visit.query}
            button="Find"
            fields={[{ name: "q", label: "Part of a name or slug", kind: "search" }]}
          />
          {accounts !== undefined && (
            <>
              <h2>Accounts</h2>
              {accounts}
              <p>
                <a href={`accounts?${new URLSearchParams({ q: part })}`}>All matching accounts</a>
              </p>
              <h2>Feeds</h2>
              {feeds}
              <p>
                <a href={`feeds?${new URLSearchParams({ q: part })}`}>All matching feeds</a>
              </p>
            </>
          )}
        </>
      ),
    };
  },
};

async function suggestions(visit: Visit): Promise<Download | undefined> {
  const of = visit.query.get("of");
  if (of !== "accounts" && of !== "feeds") return undefined;
  const names = await suggest(visit, of, partOf(visit));
  return { name: "names.json", type: "application/json", text: JSON.stringify(names) };
}

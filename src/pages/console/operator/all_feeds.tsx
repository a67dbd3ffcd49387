/** @jsxImportSource preact */
/**
 * All feeds, by a part of their name or by health, and by status and review.
 *
 * @module
 */
import { REVIEWS } from "../../../feeds/feed_shapes.ts";
import { FEED_STATUSES } from "../../../feeds/find.ts";
import { HEALTHS, ListFeedsInput, listFeeds, searchFeeds } from "../../../operator/feeds.ts";
import { findAccount } from "../../../operator/references.ts";
import { Text } from "../../layout/parts.tsx";
import { FilterForm } from "../act_form.tsx";
import { addressWith, LinkChoice } from "../link_choice.tsx";
import { fileOf, type ListedTable } from "../listed_table.tsx";
import { AccountLink } from "../lists.tsx";
import type { PageRoute, Visit } from "../visit.ts";
import { feedsTable } from "./feed_table.tsx";
import { listInput } from "./operator_act.ts";
import { partOf } from "./picks.ts";

const FILTERS = ["status", "review", "health", "account_id"];
const ANY = ["", "any"] as const;

/** `never_pushed` is "never pushed" to people. */
function choiceOf(value: string): readonly [string, string] {
  return [value, value.replace("_", " ")];
}

export const ALL_FEEDS: PageRoute = {
  path: "feeds",
  download: (visit) => fileOf(visit, [foundFeeds(visit)]),
  async show(visit) {
    const { query } = visit;
    const accountId = query.get("account_id")?.trim();
    const owner = accountId ? await findAccount(visit.operator.database, accountId) : undefined;
    const chosen = (name: string) => query.get(name) ?? "";
    return {
      title: "Feeds",
      content: (
        <>
          <h1>Feeds</h1>
          <FilterForm
            query={query}
            button="Find"
            fields={[{ name: "q", label: "Part of the name or slug", kind: "search" }]}
            keeps={["status", "review", "account_id"]}
          />
          <div class="filters">
            {owner !== undefined && (
              <p class="choice">
                <span class="soft">Provider</span>
                <AccountLink visit={visit} id={owner.account_id} name={owner.name} />
                <a href={addressWith(query, { name: "account_id", value: "" })}>
                  any
                  <span class="sr">
                    {" "}
                    provider instead of <Text of={owner.name} />
                  </span>
                </a>
              </p>
            )}
            <LinkChoice
              query={query}
              label="Status"
              name="status"
              choices={[ANY, ...FEED_STATUSES.map(choiceOf)]}
              chosen={chosen("status")}
            />
            <LinkChoice
              query={query}
              label="Review"
              name="review"
              choices={[ANY, ...REVIEWS.map(choiceOf)]}
              chosen={chosen("review")}
            />
            <LinkChoice
              query={query}
              label="Health"
              name="health"
              choices={[ANY, ...HEALTHS.map(choiceOf)]}
              chosen={chosen("health")}
              without={["q"]}
            />
          </div>
          {await foundFeeds(visit).show()}
        </>
      ),
    };
  },
};

function foundFeeds(visit: Visit): ListedTable {
  const part = partOf(visit);
  return feedsTable(visit, {
    empty: "No feeds match. Try another filter.",
    read({ limit, cursor }) {
      const names = part === "" ? FILTERS : FILTERS.filter((each) => each !== "health");
      const { status, review, health, ...rest } = listInput(visit, ListFeedsInput, {
        limit,
        names,
      });
      const place = { limit, cursor };
      if (part === "")
        return listFeeds(visit.operator, { ...rest, status, review, health, ...place });
      return searchFeeds(visit.operator, {
        part,
        accountId: rest.account_id,
        status,
        review,
        ...place,
      });
    },
  });
}

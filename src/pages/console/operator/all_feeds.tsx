/** @jsxImportSource preact */
/**
 * All feeds, by health and status.
 *
 * @module
 */
import { FEED_STATUSES } from "../../../feeds/find.ts";
import { HEALTHS } from "../../../operator/feeds.ts";
import { FilterForm } from "../act_form.tsx";
import { type Listed, listQuery, Next } from "../lists.tsx";
import { bodyOf } from "../own_api.ts";
import type { PageRoute } from "../visit.ts";
import { type FeedEntry, FeedTable } from "./feed_table.tsx";

const LISTED = 50;
const FILTERS = ["status", "health", "account_id"];
const ANY = ["", "any"] as const;

/** `never_pushed` is "never pushed" to people. */
function choiceOf(value: string): readonly [string, string] {
  return [value, value.replace("_", " ")];
}

export const ALL_FEEDS: PageRoute = {
  path: "feeds",
  async show(visit) {
    const path = `/v1/operator/feeds${listQuery(visit, { limit: LISTED, names: FILTERS })}`;
    const { feeds, next_cursor: cursor } = bodyOf(
      await visit.ask<Listed<"feeds", FeedEntry>>(path),
    );
    return {
      title: "Feeds",
      content: (
        <>
          <h1>Feeds</h1>
          <FilterForm
            query={visit.query}
            button="Filter"
            fields={[
              { name: "health", label: "Health", choices: [ANY, ...HEALTHS.map(choiceOf)] },
              { name: "status", label: "Status", choices: [ANY, ...FEED_STATUSES.map(choiceOf)] },
            ]}
          />
          <FeedTable visit={visit} feeds={feeds} empty="No feed matches. Choose another filter." />
          <Next visit={visit} cursor={cursor} />
        </>
      ),
    };
  },
};

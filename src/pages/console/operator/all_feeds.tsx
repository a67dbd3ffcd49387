/** @jsxImportSource preact */
/**
 * All feeds, by health and status.
 *
 * @module
 */
import { FEED_STATUSES } from "../../../feeds/find.ts";
import { HEALTHS, ListFeedsInput, listFeeds } from "../../../operator/feeds.ts";
import { FilterForm } from "../act_form.tsx";
import { Next } from "../lists.tsx";
import type { PageRoute } from "../visit.ts";
import { FeedTable } from "./feed_table.tsx";
import { listInput } from "./operator_act.ts";

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
    const input = listInput(visit, ListFeedsInput, { limit: LISTED, names: FILTERS });
    const { entries, nextCursor } = await listFeeds(visit.operator, input);
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
          <FeedTable
            visit={visit}
            feeds={entries}
            empty="No feed matches. Choose another filter."
          />
          <Next visit={visit} cursor={nextCursor} />
        </>
      ),
    };
  },
};

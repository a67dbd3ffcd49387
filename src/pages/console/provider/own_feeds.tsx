/** @jsxImportSource preact */
/**
 * The home of a provider: the provider's feeds and their health.
 *
 * @module
 */
import { Badge, digits, dollars, Table, Time, type Tone } from "../../layout/parts.tsx";
import { parseExact } from "../exact_values.ts";
import { FeedLink, Next, nextOffset, offsetOf } from "../lists.tsx";
import type { PageRoute } from "../visit.ts";
import { WaitingRequests, waitingFeeds } from "./access_choice.tsx";
import { type OwnFeeds, readOwn } from "./find_own.ts";
import { OwnStatus } from "./own_status.tsx";

const LISTED = 100;
const LISTING_TONES: Readonly<Record<string, Tone>> = {
  waiting: "warn",
  listed: "good",
  declined: "bad",
};

export const OWN_FEEDS: PageRoute = {
  path: "",
  async show(visit) {
    const offset = offsetOf(visit);
    const [text, waiting] = await Promise.all([
      readOwn(visit, { limit: LISTED, offset }),
      waitingFeeds(visit),
    ]);
    const { feeds, has_more: hasMore } = parseExact<OwnFeeds>(text);
    return {
      title: "Your feeds",
      content: (
        <>
          <h1>Your feeds</h1>
          <p class="lead">Reads, readers and earnings cover the last 30 days.</p>
          <WaitingRequests visit={visit} of={waiting} />
          <Table
            label="Your feeds"
            rows={feeds}
            columns={[
              {
                head: "Feed",
                cell: (row) => <FeedLink visit={visit} id={row.id} name={row.name} />,
              },
              {
                head: "State",
                cell: (row) => <OwnStatus of={row} />,
              },
              {
                head: "Listing",
                cell: ({ review }) =>
                  review === "none" ? (
                    ""
                  ) : (
                    <Badge tone={LISTING_TONES[review] ?? "plain"}>{review}</Badge>
                  ),
              },
              { head: "Rows", kind: "num", cell: (row) => digits(row.row_count) },
              { head: "Reads", kind: "num", cell: (row) => digits(row.reads) },
              { head: "Readers", kind: "num", cell: (row) => digits(row.readers) },
              { head: "Earned, USD", kind: "num", cell: (row) => dollars(row.net_usd) },
              { head: "Last push", kind: "when", cell: (row) => <Time of={row.last_sync_at} /> },
              {
                head: "Last refusal",
                cell: (row) =>
                  row.last_refusal === null ? (
                    ""
                  ) : (
                    <Badge tone="bad">{row.last_refusal.code}</Badge>
                  ),
              },
              {
                head: "Open batches",
                kind: "num",
                cell: ({ open_batches: open }) => (open.length === 0 ? "" : open.length),
              },
            ]}
            empty={
              <>
                No feeds yet. <a href={`${visit.root}/console/new`}>Create one</a>, or run{" "}
                <code>feedgate feed init FILE</code> to create one from a file, and push the file
                with <code>feedgate push</code>.
              </>
            }
          />
          <Next
            visit={visit}
            by="offset"
            cursor={nextOffset(visit, { shown: feeds.length, hasMore })}
          />
        </>
      ),
    };
  },
};

/** @jsxImportSource preact */
/**
 * The freshness of a feed: its last push, its newest event, and the pushes of the last days. A push today may contain
 * old events, so the two times are shown separately.
 *
 * @module
 */
import { intervalText } from "../../lib/interval_text.ts";
import { MS_PER_DAY, MS_PER_MINUTE } from "../../lib/time_units.ts";
import { SITE_DAYS_SHOWN, SITE_PUSHES_A_DAY_MAX } from "../../limits.ts";
import type { Row } from "../../postgres/client/database.ts";
import { Chart, digits, Message, Text, Time } from "../layout/parts.tsx";

type Feed = Row<"find_feed_row">;

export interface FreshnessPartProps {
  readonly feed: Feed;
  readonly days: readonly Row<"list_push_days">[];
  /** Of a stream. */
  readonly newestEvent: string | null;
  readonly nowMs: number;
}

/** An event is old after these days, and after so many of the feed's intervals. */
const OLD_DAYS = 30;
const OLD_INTERVALS = 3;
const HISTORICAL_DAYS = 365;

export function FreshnessPart({ days }: Pick<FreshnessPartProps, "days">) {
  const isCapped = days.some(({ pushes }) => Number(pushes) >= SITE_PUSHES_A_DAY_MAX);
  return (
    <section>
      <h2>Freshness</h2>
      <Chart
        title={`Pushes a day, last ${SITE_DAYS_SHOWN} days`}
        series={["pushes"]}
        points={days.map(({ day, pushes }) => ({ at: day, values: [pushes] }))}
      />
      {isCapped && (
        <p class="soft small">
          Days with more than {digits(SITE_PUSHES_A_DAY_MAX)} pushes are shown as{" "}
          {digits(SITE_PUSHES_A_DAY_MAX)}.
        </p>
      )}
    </section>
  );
}

/** What the provider announces. */
export function Pace({ feed }: { readonly feed: Feed }) {
  return <Text of={feed.update_frequency_text?.trim() || intervalText(feed.sync_interval_mins)} />;
}

/** Says so if a stream's newest event is far older than the feed's pace suggests. */
export function AgeNote({ feed, newestEvent, nowMs }: Omit<FreshnessPartProps, "days">) {
  if (newestEvent === null) return null;
  const ageMs = nowMs - Date.parse(newestEvent);
  const paceMs = OLD_INTERVALS * feed.sync_interval_mins * MS_PER_MINUTE;
  if (ageMs <= Math.max(OLD_DAYS * MS_PER_DAY, paceMs)) return null;
  return (
    <Message tone="warn">
      <p>
        {ageMs > HISTORICAL_DAYS * MS_PER_DAY ? "Historical data" : "No recent data"}: the newest
        event is from <Time of={newestEvent} />.
      </p>
    </Message>
  );
}

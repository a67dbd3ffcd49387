/** @jsxImportSource preact */
/**
 * One feed of a provider: its contents, its readers, and the outcome of its pushes.
 *
 * @module
 */

import { usdNumber } from "../../../money/money.ts";
import { type FeedDay, findPushMistakes, listFeedDays } from "../../../provider/feed_days.ts";
import { listPushes } from "../../../provider/push_history.ts";
import { Chart, digits, dollars, Facts, FigureCard, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { creditsOfUsd } from "../amounts.ts";
import { FeedAsSeen, priceText } from "../feed_as_seen.tsx";
import { Next } from "../lists.tsx";
import { feedEvents, feedVersion } from "../live_visits.ts";
import { OpenBatches } from "../open_batches.tsx";
import { idOf, type PageRoute } from "../visit.ts";
import { AccessChoice, CHANGE_ACCESS } from "./access_choice.tsx";
import { findListing, type OwnFeed } from "./find_own.ts";
import { LastRefusal } from "./last_refusal.tsx";
import { saveText } from "./listing_form.tsx";
import { OwnStatus } from "./own_status.tsx";
import { PUSH_ROW, PushRow } from "./push_row.tsx";
import { PushTimeline } from "./push_timeline.tsx";

const PUSHES_LISTED = 20;

export const FEED_STATE: PageRoute = {
  path: "feeds/:id",
  async watch(visit) {
    const { id } = await findListing(visit);
    return { topic: id, version: await feedVersion(visit, id) };
  },
  async show(visit, form, refused) {
    const version = await feedVersion(visit, idOf(visit));
    const shown = await findListing(visit);
    const { accountId } = await visit.admit("feeds");
    const database = visit.services.database.onBehalfOf(accountId);
    const { id: feedId, last_refusal: refusal, last_sync_at: syncedAt } = shown;
    const isPushed = syncedAt !== null;
    const [{ body: history }, days, found] = await Promise.all([
      listPushes(visit.services, {
        accountId,
        reference: feedId,
        limit: PUSHES_LISTED,
        cursor: visit.query.get("cursor")?.trim() || undefined,
      }),
      isPushed ? listFeedDays(database, feedId) : [],
      findPushMistakes(database, { feedId, detail: refusal?.detail ?? "" }),
    ]);
    const here = `${visit.root}/console/feeds/${feedId}`;
    const isUsable = shown.suspension_reason === undefined;
    return {
      title: shown.name,
      hasCharts: isPushed,
      live: feedEvents(visit, `feeds/${shown.id}`, version),
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console${visit.session.member === undefined ? "" : "/feeds"}`}>
              Feeds
            </a>
          </p>
          <h1>
            <Text of={shown.name} />
          </h1>
          <Facts
            of={{
              Status: <OwnStatus of={shown} />,
              "Suspension reason": shown.suspension_reason && <Text of={shown.suspension_reason} />,
              Review: shown.review !== "none" && shown.review,
              "Decline reason": shown.review_reason && <Text of={shown.review_reason} />,
              Price: priceText(shown),
              "Last push": <Time of={syncedAt} />,
            }}
          />
          {isUsable ? (
            <div class="actions">
              <a class="button" href={`${here}/push`}>
                Push a file
              </a>
              <a class="button quiet" href={`${here}/edit`}>
                Edit the listing
              </a>
              {!shown.is_public && shown.review !== "waiting" && (
                <ActForm buttons={[{ act: "review", text: "Request a review", tone: "quiet" }]} />
              )}
            </div>
          ) : (
            <p class="hint">
              Reads, pushes and edits are refused until the operator ends the suspension. No data is
              deleted.
            </p>
          )}
          <LastRefusal feed={shown} found={found} editPath={`${here}/edit`} />
          <h2>Last 30 days</h2>
          <Figures feed={shown} />
          {isPushed && <DayCharts days={days} />}
          <OpenBatches of={shown.open_batches} />
          {isUsable && shown.feed_type === "stream" && (
            <PushRow feed={shown} form={form} refused={refused} />
          )}
          <AccessChoice feed={shown} visit={visit} />
          <h2>Pushes</h2>
          <PushTimeline of={history.pushes} />
          <Next visit={visit} cursor={history.next_cursor} text="Older pushes" />
          <h2>As agents see it</h2>
          <FeedAsSeen feed={shown} />
        </>
      ),
    };
  },
  acts: {
    row: PUSH_ROW,
    access: CHANGE_ACCESS,
    review: {
      confirm: () =>
        "The operator will review the feed, and either list it in catalog and search or decline it with a reason.",
      async run(visit) {
        const id = idOf(visit);
        await saveText(visit, '{"request_review":true}', { feedId: id });
        return { kind: "go", to: `feeds/${id}`, done: "asked" };
      },
    },
  },
};

function Figures({ feed }: { readonly feed: OwnFeed }) {
  return (
    <div class="cards">
      <FigureCard
        label="Earned"
        value={`${dollars(feed.net_usd)} USD`}
        note={`${creditsOfUsd(feed.net_usd)}, after fees`}
      />
      <FigureCard label="Reads" value={digits(feed.reads)} note="answered" />
      <FigureCard label="Readers" value={digits(feed.readers)} note="accounts" />
      <FigureCard label="Rows" value={digits(feed.row_count)} note="visible to readers" />
    </div>
  );
}

function DayCharts({ days }: { readonly days: readonly FeedDay[] }) {
  const points = (valuesOf: (day: FeedDay) => readonly (bigint | string)[]) =>
    days.map((day) => ({ at: day.day, values: valuesOf(day) }));
  const isKnown = days.some(({ on_time_percent: percent }) => percent !== null);
  return (
    <div class="charts">
      <Chart title="Reads by day" series={["reads"]} points={points(({ reads }) => [reads])} />
      <Chart
        title="Readers by day (accounts)"
        series={["readers"]}
        points={points(({ readers }) => [readers])}
      />
      <Chart
        title="Earned by day, USD, after fees"
        series={["net"]}
        points={points(({ net_nanos: net }) => [usdNumber(net).rawJSON])}
      />
      <Chart
        title="Rows by day"
        series={["new", "changed"]}
        points={points((day) => [day.rows_new, day.rows_changed])}
      />
      {isKnown && (
        <Chart
          title="On time by day, percent"
          series={["on time"]}
          points={days.flatMap(({ day: at, on_time_percent: percent }) =>
            percent === null ? [] : [{ at, values: [percent] }],
          )}
        />
      )}
      <Chart
        title="Refused pushes by day"
        series={["refused"]}
        points={points(({ refusals }) => [refusals])}
      />
    </div>
  );
}

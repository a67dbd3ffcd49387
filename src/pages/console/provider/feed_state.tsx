/** @jsxImportSource preact */
/**
 * One feed of a provider: what it holds, who reads it, and what became of its pushes.
 *
 * @module
 */
import { listPushes } from "../../../provider/push_history.ts";
import { Badge, digits, Facts, FigureCard, Table, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { FeedAsSeen, priceText } from "../feed_as_seen.tsx";
import { Next } from "../lists.tsx";
import { OpenBatches } from "../open_batches.tsx";
import { idOf, type PageRoute } from "../visit.ts";
import { AccessChoice, CHANGE_ACCESS } from "./access_choice.tsx";
import { findOwn } from "./find_own.ts";
import { saveText } from "./listing_form.tsx";
import { OwnStatus } from "./own_status.tsx";

const PUSHES_LISTED = 20;

export const FEED_STATE: PageRoute = {
  path: "feeds/:id",
  async show(visit) {
    const shown = await findOwn(visit);
    const { accountId } = await visit.admit("feeds");
    const { body: history } = await listPushes(visit.services, {
      accountId,
      reference: shown.id,
      limit: PUSHES_LISTED,
      cursor: visit.query.get("cursor")?.trim() || undefined,
    });
    const here = `${visit.root}/console/feeds/${shown.id}`;
    return {
      title: shown.name,
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
          <div class="cards">
            <FigureCard label="Rows" value={digits(shown.row_count)} note="that readers see" />
            <FigureCard label="Reads" value={digits(shown.reads)} note="of 30 days" />
            <FigureCard label="Readers" value={digits(shown.readers)} note="accounts, of 30 days" />
            <FigureCard
              label="Earned"
              value={digits(shown.net_usd)}
              note="USD of 30 days, less the fee"
            />
          </div>
          <Facts
            of={{
              Status: <OwnStatus of={shown} />,
              "Suspended because": shown.suspension_reason && <Text of={shown.suspension_reason} />,
              Review: shown.review,
              "Declined because": shown.review_reason && <Text of={shown.review_reason} />,
              Price: priceText(shown),
              "Last push": <Time of={shown.last_sync_at} />,
            }}
          />
          {shown.suspension_reason === undefined ? (
            <div class="actions">
              <a class="button" href={`${here}/push`}>
                Push a file
              </a>
              <a class="button quiet" href={`${here}/edit`}>
                Edit the listing
              </a>
              {!shown.is_public && shown.review !== "waiting" && (
                <ActForm buttons={[{ act: "review", text: "Ask to be listed", tone: "quiet" }]} />
              )}
            </div>
          ) : (
            <p class="hint">
              Nobody reads it, and pushes and edits are refused, until the operator ends the
              suspension. Nothing of it is removed.
            </p>
          )}
          <OpenBatches of={shown.open_batches} />
          <AccessChoice feed={shown} visit={visit} />
          <h2>Pushes</h2>
          <Table
            label="Pushes"
            rows={history.pushes}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.pushed_at} /> },
              {
                head: "Outcome",
                cell: (row) =>
                  row.outcome === "stored" ? (
                    <Badge tone="good">stored</Badge>
                  ) : (
                    <Badge tone="bad">{row.code}</Badge>
                  ),
              },
              { head: "Rows", kind: "num", cell: (row) => digits(row.rows_received) },
              { head: "New", kind: "num", cell: (row) => digits(row.rows_inserted) },
              { head: "Took, ms", kind: "num", cell: (row) => digits(row.ms) },
              { head: "Why not", cell: (row) => <Text of={row.detail} /> },
            ]}
            empty="Nothing was pushed in the last 90 days. Push a file, or see the providers' guide."
          />
          <Next visit={visit} cursor={history.next_cursor} text="Older pushes" />
          <h2>As agents see it</h2>
          <FeedAsSeen feed={shown} />
        </>
      ),
    };
  },
  acts: {
    access: CHANGE_ACCESS,
    review: {
      confirm: () =>
        "The operator looks at the feed, and publishes it to catalog and search or says why not.",
      async run(visit) {
        const id = idOf(visit);
        await saveText(visit, '{"request_review":true}', { feedId: id });
        return { kind: "go", to: `feeds/${id}`, done: "asked" };
      },
    },
  },
};

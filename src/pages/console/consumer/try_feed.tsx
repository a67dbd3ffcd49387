/** @jsxImportSource preact */
/**
 * One feed of the catalog: what it is, and its purchase and a first read.
 *
 * @module
 */
import { findOwnAccess } from "../../../access/account_access.ts";
import type { FeedAccess } from "../../../admission/claims.ts";
import { Problem } from "../../../http/problem_details.ts";
import { present } from "../../../lib/assert.ts";
import { parseJsonNumbers } from "../../../lib/json_numbers.ts";
import { nanosOfCredits, toExactNumber, withoutGroups } from "../../../money/money.ts";
import { AccessBadge } from "../../layout/access_text.tsx";
import { Badge, digits, Facts, type Figure, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { FeedAsSeen, priceText, type ShownFeed } from "../feed_as_seen.tsx";
import { feedEvents, feedVersion } from "../live_visits.ts";
import { bodyOf } from "../own_api.ts";
import { idOf, type PageRoute } from "../visit.ts";
import { AccessPart, ASK_FOR_ACCESS } from "./ask_access.tsx";
import { hasBought } from "./own_records.ts";

interface Metadata extends ShownFeed {
  readonly id: string;
  readonly row_count: number;
  readonly last_sync_at: string | null;
  readonly credits_to_read_all: Figure;
  readonly access: FeedAccess;
}

const CREDITS_PER_CENT = 10_000;

export const TRY_FEED: PageRoute = {
  path: "catalog/:id",
  async watch(visit) {
    const { id } = bodyOf(await visit.ask<Metadata>(`/v1/feed/${idOf(visit)}/metadata`));
    return { topic: id, version: await feedVersion(visit, id) };
  },
  async show(visit, form) {
    const id = idOf(visit);
    const version = await feedVersion(visit, id);
    const [shown, isBought] = await Promise.all([
      visit.ask<Metadata>(`/v1/feed/${id}/metadata`),
      hasBought(visit, id),
    ]);
    const about = bodyOf(shown);
    const { id: accountId } = present(visit.session.account);
    const access = present(
      await findOwnAccess(visit.services.database, { accountId, feedId: about.id }),
    );
    const isForSale = about.price_type === "one_time" && !isBought;
    // A member spends nothing.
    const maySpend = visit.session.member?.role !== "member";
    return {
      title: about.name,
      live: feedEvents(visit, `catalog/${id}`, version),
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console/catalog`}>Catalog</a>
          </p>
          <h1>
            <Text of={about.name} />
          </h1>
          <div class="actions">
            {isBought && <Badge tone="good">bought</Badge>}
            {about.access !== "open" && <AccessBadge of={about.access} />}
            {access.mayRead && isForSale && maySpend && (
              <ActForm
                hidden={{
                  max_credits: String(Number(about.one_time_price_cents) * CREDITS_PER_CENT),
                }}
                buttons={[{ act: "buy", text: `Buy for ${priceText(about)}` }]}
              />
            )}
            {access.mayRead && maySpend && (
              <ActForm buttons={[{ act: "try", text: "Try it: read 3 rows", tone: "quiet" }]} />
            )}
          </div>
          <AccessPart access={access} form={form} />
          <Facts
            of={{
              Rows: digits(about.row_count),
              "Last push": <Time of={about.last_sync_at} />,
              "To read all of it": isBought
                ? "nothing: it is bought"
                : access.grant?.isFree
                  ? "nothing: your reads are free"
                  : `${digits(about.credits_to_read_all)} credits`,
            }}
          />
          <h2>What it is</h2>
          <FeedAsSeen feed={about} />
          <h2>Read it</h2>
          <pre>{`curl -H "x-api-key: $FEEDGATE_READ_KEY" '${visit.baseUrl}/v1/feed/${about.endpoint_path ?? id}?limit=20'`}</pre>
        </>
      ),
    };
  },
  acts: {
    ask: ASK_FOR_ACCESS,
    buy: {
      isForOwners: true,
      confirm: (form) =>
        `At most ${digits(form.text("max_credits"))} credits are taken from the balance, once. Reads of this feed are free from then on.`,
      async run(visit, form) {
        const id = idOf(visit);
        const priceNanosMax = nanosOfCredits(withoutGroups(form.text("max_credits")));
        if (priceNanosMax === undefined) return { kind: "refused", why: "Reload the page." };
        const buyer = { call: visit.call, principal: await visit.admit("buy") };
        const bought = await visit.buyFeed(buyer, { reference: id, priceNanosMax });
        if (bought instanceof Problem) throw bought;
        return { kind: "go", to: `catalog/${id}`, done: "bought" };
      },
    },
    try: {
      isForOwners: true,
      confirm: () =>
        "This is a real read: it is charged as one by an agent, and logged. A feed that was bought costs nothing, and one that is yet to be bought is refused.",
      async run(visit) {
        const id = idOf(visit);
        const path = `/v1/feed/${id}?limit=3`;
        const version = await feedVersion(visit, id);
        const answer = await visit.ask<unknown>(path);
        return {
          kind: "show",
          view: {
            title: "Try it",
            live: answer.kind === "done" ? feedEvents(visit, `catalog/${id}`, version) : undefined,
            content: (
              <>
                <p class="crumbs">
                  <a href="?">Back to the feed</a>
                </p>
                <h1>What was asked, and answered</h1>
                <div class="note-box good" data-live-note hidden role="status">
                  <p>The feed has new data since this read.</p>
                  <ActForm buttons={[{ act: "try", text: "Read again", tone: "quiet" }]} />
                </div>
                <pre>{`curl -H "x-api-key: $FEEDGATE_READ_KEY" '${visit.baseUrl}${path}'`}</pre>
                <p>
                  Status{" "}
                  <Badge tone={answer.kind === "done" ? "good" : "bad"}>{answer.status}</Badge>
                </p>
                <pre>
                  <Text of={pretty(answer.text)} />
                </pre>
              </>
            ),
          },
        };
      },
    },
  },
};

/** JSON with its numbers as they stood there. */
function pretty(text: string): string {
  return JSON.stringify(parseJsonNumbers(text, toExactNumber), null, 2);
}

/** @jsxImportSource preact */
/**
 * One feed of the catalog: its description, its purchase, and a read with the visitor's own query.
 *
 * @module
 */
import { findOwnAccess, type OwnAccess } from "../../../access/account_access.ts";
import type { FeedAccess } from "../../../admission/claims.ts";
import { Problem } from "../../../http/problem_details.ts";
import { present } from "../../../lib/assert.ts";
import { nanosOfCredits, withoutGroups } from "../../../money/money.ts";
import { AccessBadge } from "../../layout/access_text.tsx";
import { Badge, digits, Facts, type Figure, plain, Tabs, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { moneyWords } from "../amounts.ts";
import { FeedAsSeen, priceText, type ShownFeed } from "../feed_as_seen.tsx";
import { feedEvents, feedVersion } from "../live_visits.ts";
import { bodyOf } from "../own_api.ts";
import { type Acted, type Form, idOf, type PageRoute, type Refused, type Visit } from "../visit.ts";
import { AccessPart, ASK_FOR_ACCESS } from "./ask_access.tsx";
import { askedQuery, refusedField } from "./asked_read.ts";
import { hasBought } from "./own_records.ts";
import { findReadPrice, type ReadPrice } from "./read_price.ts";
import { askedFields, curlOf, type ReadAnswer, TryAnswer } from "./try_answer.tsx";
import { TRY_PLACE, type TriedFeed, TryForm } from "./try_form.tsx";

interface Metadata extends ShownFeed, TriedFeed {
  readonly id: string;
  readonly row_count: number;
  readonly last_sync_at: string | null;
  readonly credits_to_read_all: Figure;
  readonly access: FeedAccess;
}

/** A feed as the visitor's account stands to it. */
interface FeedHere {
  readonly about: Metadata;
  readonly isBought: boolean;
  readonly access: OwnAccess;
  readonly price: ReadPrice;
  /** Whether the visitor may spend the account's credits. */
  readonly maySpend: boolean;
}

const CREDITS_PER_CENT = 10_000;

async function findFeedHere(visit: Visit): Promise<FeedHere> {
  const id = idOf(visit);
  const { services, session } = visit;
  const [shown, isBought] = await Promise.all([
    visit.ask<Metadata>(`/v1/feed/${id}/metadata`),
    hasBought(visit, id),
  ]);
  const about = bodyOf(shown);
  const { id: accountId } = present(session.account);
  const of = { accountId, feedId: about.id };
  const access = present(await findOwnAccess(services.database, of));
  const standing = { ...of, grant: access.grant, isPurchased: isBought };
  const price = await findReadPrice(services, standing);
  return {
    about,
    isBought,
    access,
    price: price ?? { readNanos: 0n, isForSale: false },
    // A member spends nothing.
    maySpend: session.member?.role !== "member",
  };
}

export const TRY_FEED: PageRoute = {
  path: "catalog/:id",
  async watch(visit) {
    const { id } = bodyOf(await visit.ask<Metadata>(`/v1/feed/${idOf(visit)}/metadata`));
    return { topic: id, version: await feedVersion(visit, id) };
  },
  async show(visit, form, refused) {
    const id = idOf(visit);
    const version = await feedVersion(visit, id);
    const here = await findFeedHere(visit);
    const { about, isBought, access, price, maySpend } = here;
    return {
      title: about.name,
      // A newer page would have no mistakes to show.
      live: refused === undefined ? feedEvents(visit, `catalog/${id}`, version) : undefined,
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
            {access.mayRead && price.isForSale && maySpend && (
              <ActForm
                hidden={{
                  max_credits: String(Number(about.one_time_price_cents) * CREDITS_PER_CENT),
                }}
                buttons={[{ act: "buy", text: `Buy for ${priceText(about)}` }]}
              />
            )}
          </div>
          <AccessPart access={access} form={form} />
          <Facts
            of={{
              Rows: digits(about.row_count),
              "Last push": <Time of={about.last_sync_at} />,
              "Cost to read all": isBought
                ? "none, because it is purchased"
                : access.grant?.isFree
                  ? "none, because your reads are free"
                  : moneyWords(nanosOfCredits(plain(about.credits_to_read_all)) ?? 0n),
            }}
          />
          <TryPart here={here} form={form} refused={refused} />
          <h2>About this feed</h2>
          <FeedAsSeen feed={about} />
          <h2>Read from a program</h2>
          <Requests visit={visit} about={about} />
        </>
      ),
    };
  },
  acts: {
    ask: ASK_FOR_ACCESS,
    buy: {
      isForOwners: true,
      confirm: (form) =>
        `Up to ${digits(form.text("max_credits"))} credits will be charged to your balance, once. After that, reads of this feed are free.`,
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
      run: readFeed,
    },
  },
};

interface TryPartProps {
  readonly here: FeedHere;
  readonly form: Form | undefined;
  readonly refused: Refused | undefined;
}

function TryPart({ here, form, refused }: TryPartProps) {
  const { about, access, price, maySpend } = here;
  if (!access.mayRead || !maySpend) return null;
  const isSent = form?.text("act") === "try";
  return (
    <section id={TRY_PLACE}>
      <h2>Try it</h2>
      {price.isForSale ? (
        <p>This feed has a one-time price. After you buy it, all reads are free.</p>
      ) : (
        <TryForm
          feed={about}
          priceNanos={price.readNanos}
          form={isSent ? form : undefined}
          refused={isSent ? refused : undefined}
        />
      )}
    </section>
  );
}

function Requests({ visit, about }: { readonly visit: Visit; readonly about: Metadata }) {
  const address = `${visit.baseUrl}/v1/feed/${about.endpoint_path ?? about.id}`;
  const requests: readonly (readonly [string, string])[] =
    about.consumer_type === "singleton"
      ? [["The document", address]]
      : [
          ["A page of rows", `${address}?limit=100`],
          ["All rows, CSV", `${address}/export?format=csv`],
          ["All rows, NDJSON", `${address}/export?format=ndjson`],
        ];
  return (
    <Tabs
      label="What to read"
      name="request"
      tabs={requests.map(([head, each]) => ({
        head,
        body: (
          <pre tabIndex={0}>
            <code>{curlOf(each)}</code>
          </pre>
        ),
      }))}
    />
  );
}

/** Reads the feed over the API's route, for no more than the form said that it costs. Sent twice, it is charged once. */
async function readFeed(visit: Visit, form: Form): Promise<Acted> {
  const id = idOf(visit);
  const path = `/v1/feed/${id}${askedQuery(form)}`;
  const version = await feedVersion(visit, id);
  const once = form.given("once");
  const answer = await visit.ask<ReadAnswer>(path, {
    headers: {
      "feedgate-max-credits": form.given("max_credits"),
      // The same form may ask for something else, when one goes back to it.
      "idempotency-key": once && `${once}-${Bun.hash(path).toString(36)}`,
    },
  });
  if (answer.kind === "refused") return refusedRead(answer, form);
  const { about, price } = await findFeedHere(visit);
  return {
    kind: "show",
    view: {
      title: `Try it: ${about.name}`,
      live: feedEvents(visit, `catalog/${id}`, version),
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console/catalog`}>Catalog</a> /{" "}
            <a href="?">
              <Text of={about.name} />
            </a>
          </p>
          <h1 id={TRY_PLACE}>Result</h1>
          <div class="note-box good" data-live-note hidden role="status">
            <p>The feed has new data.</p>
            <ActForm
              isDirect
              hidden={askedFields(form)}
              buttons={[{ act: "try", text: "Read again", tone: "quiet" }]}
            />
          </div>
          <TryAnswer
            answer={answer.body}
            text={answer.text}
            address={`${visit.baseUrl}${path}`}
            form={form}
            maxCredits={form.text("max_credits")}
          />
          <h2>Change the request</h2>
          <TryForm feed={about} priceNanos={price.readNanos} form={form} />
        </>
      ),
    },
  };
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly parameter?: string | undefined;
}

/** What the page says of refusals whose own words are about headers. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  PRICE_ABOVE_MAX:
    "The price has changed since this page was loaded. The form shows the new price.",
  IDEMPOTENCY_KEY_STALE:
    "The feed has new data since this form was submitted, and the response you paid for is no longer available. Read again to get the new data, which is charged as another read.",
};

function refusedRead({ status, code, detail, parameter }: Refusal, form: Form): Refused {
  const words = OWN_WORDS[code] ?? detail;
  const field = refusedField({ code, parameter }, form);
  return {
    kind: "refused",
    why: `Nothing was read or charged. ${words} (${status} ${code})`,
    errors: field === undefined ? [] : [{ path: `/${field}`, message: `${code}: ${words}` }],
  };
}

/** @jsxImportSource preact */
/**
 * The pages for a user who connects an agent: the consent, and the reason why consent is not possible.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { isLoopbackHost } from "../lib/public_address.ts";
import { AGENT_DAYS_MAX } from "../limits.ts";
import { type MenuLink, renderPage } from "../pages/layout/page.tsx";
import { Facts, Field, Message, Text, Time } from "../pages/layout/parts.tsx";
import type { Client } from "./clients.ts";
import type { ConsentFields } from "./consent_form.ts";

/** Relative to `/oauth/authorize`. */
const ROOT = "..";
const MENU: readonly MenuLink[] = [
  { path: "console", text: "Console" },
  { path: "docs/guides/connect", text: "Guide" },
];

/** A feed to choose. */
export interface ListedFeed {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly price: string;
}

/** An account that can pay. */
export interface Payer {
  readonly id: string;
  readonly name: string;
}

export interface ConsentView {
  readonly client: Client;
  readonly redirectAddress: string;
  /** The one that pays, unless another is chosen. */
  readonly payer: Payer;
  readonly payers: readonly Payer[];
  /** Whether the user has signed in with an address. */
  readonly isPerson: boolean;
  /** Query of the form's target: the page's own query, with `?`. */
  readonly query: string;
  /** Proves that this page was given to this session. */
  readonly token: string;
  readonly fields: ConsentFields;
  readonly mistakes: readonly string[];
  readonly feeds: readonly ListedFeed[];
  /** When the key with which the user has signed in ends, in RFC 3339. Undefined if it never does. */
  readonly endsBefore: string | undefined;
}

export function renderConsent(view: ConsentView): string {
  const { client, payer, payers, query, token, mistakes } = view;
  return renderPage({
    title: "Connect an agent",
    root: ROOT,
    menu: MENU,
    who: <Text of={payer.name} />,
    children: (
      <>
        <h1>
          Connect <Text of={client.name} />?
        </h1>
        <p>
          <Text of={client.name} /> wants to search and read feeds, and to buy feeds that have a
          one-time price, with your account's credits.
        </p>
        <Facts
          of={{
            "Requested by": <WhoAsks client={client} />,
            "Redirects to": <Destination address={view.redirectAddress} />,
            "Paid by": payers.length === 1 && <Text of={payer.name} />,
          }}
        />
        {mistakes.length > 0 && (
          <Message tone="bad">
            {mistakes.map((mistake) => (
              <p>
                <Text of={mistake} />
              </p>
            ))}
          </Message>
        )}
        <form method="post" action={`authorize${query}`} class="stack">
          <input type="hidden" name="token" value={token} />
          {payers.length > 1 && (
            <Field label="Paid by" name="account_id">
              <select id="account_id" name="account_id">
                {payers.map(({ id, name }) => (
                  <option value={id} selected={id === payer.id}>
                    <Text of={name} />
                  </option>
                ))}
              </select>
            </Field>
          )}
          <Limits {...view} />
          <FeedChoice {...view} />
          <div class="actions">
            <button type="submit" name="decision" value="agree">
              Connect
            </button>
            <button type="submit" name="decision" value="decline" class="quiet" formNoValidate>
              Decline
            </button>
          </div>
          <p class="hint">
            You can see its spending and disconnect it at any time on the first page of the console.{" "}
            {view.isPerson
              ? "It is also disconnected if you leave the account."
              : "It is also disconnected if the key that you signed in with is revoked."}
          </p>
        </form>
      </>
    ),
  });
}

function WhoAsks({ client }: { readonly client: Client }) {
  return client.host === undefined ? (
    <>
      A program called “<Text of={client.name} />
      ”. Its name is not verified.
    </>
  ) : (
    <>
      <strong>{client.host}</strong> says that this is “<Text of={client.name} />
      ”.
    </>
  );
}

function Destination({ address }: { readonly address: string }) {
  const { hostname, host, protocol } = new URL(address);
  if (isPrivateUse(address)) {
    return (
      <>
        the program on this computer that opens addresses of <code>{protocol}</code> (
        <code>{address}</code>). Agree only if you have just started it.
      </>
    );
  }
  return isLoopbackHost(hostname) ? (
    <>
      a program on the computer that you are using (<code>{host}</code>). Agree only if you have
      just started it.
    </>
  ) : (
    <strong>{host}</strong>
  );
}

function Limits({ fields, endsBefore }: ConsentView) {
  return (
    <>
      <Field
        label="Daily budget"
        name="daily_usd"
        hint="Maximum spending per UTC day. Feeds with a one-time price cost at least 1 USD. 1 USD is 1,000,000 credits."
      >
        <span class="unit">
          <input
            id="daily_usd"
            name="daily_usd"
            inputMode="decimal"
            required
            autoComplete="off"
            value={fields.usd}
          />
          <span>USD</span>
        </span>
      </Field>
      <Field
        label="Days until it expires"
        name="days"
        hint={
          endsBefore === undefined ? (
            `At most ${AGENT_DAYS_MAX}. Then it asks you to connect it again.`
          ) : (
            <>
              At most {AGENT_DAYS_MAX}, and no longer than the key that you signed in with, which
              expires at <Time of={endsBefore} />.
            </>
          )
        }
      >
        <input
          id="days"
          name="days"
          type="number"
          min="1"
          max={AGENT_DAYS_MAX}
          step="1"
          required
          value={fields.days}
        />
      </Field>
    </>
  );
}

/**
 * The stylesheet shows the feeds if "Only these" is selected. It also shows them if one is named, because "All feeds"
 * is then refused.
 */
function FeedChoice({ fields, feeds }: ConsentView) {
  return (
    <fieldset class="feed-choice">
      <legend>Feeds it may read</legend>
      <label class="check">
        <input type="radio" name="feeds" value="all" checked={fields.isAllFeeds} /> All feeds
      </label>
      <label class="check">
        <input type="radio" name="feeds" value="some" checked={!fields.isAllFeeds} /> Only these
      </label>
      <div class="named">
        {feeds.map(({ id, slug, name, price }) => (
          <label class="check">
            <input
              type="checkbox"
              name="feed_id"
              value={id}
              checked={fields.feedIds.includes(id)}
            />{" "}
            <span>
              <Text of={name} /> <code>{slug}</code> <span class="soft">{price}</span>
            </span>
          </label>
        ))}
        <Field
          label="Others"
          name="other_feeds"
          hint="IDs or slugs, separated by spaces or commas."
        >
          <input
            id="other_feeds"
            name="other_feeds"
            autoComplete="off"
            placeholder="gold-prices, airports"
            value={fields.otherFeeds}
          />
        </Field>
      </div>
    </fieldset>
  );
}

/** Whether the address's scheme is private to a program on the user's computer, so that its host has no meaning. */
function isPrivateUse(address: string): boolean {
  return !/^https?:$/.test(new URL(address).protocol);
}

/** The browser does not send a strict cookie for a request from another site, but does for one from this page. */
export function renderReload(address: string): string {
  return renderPage({
    title: "Connect an agent",
    root: ROOT,
    menu: MENU,
    head: <meta http-equiv="refresh" content={`0; url=${address}`} />,
    children: (
      <p>
        <a href={address}>Continue</a>
      </p>
    ),
  });
}

/** Why consent is not possible here, and what to do. */
export function renderRefusal(reason: ComponentChildren): string {
  return renderPage({
    title: "Nothing was connected",
    root: ROOT,
    menu: MENU,
    children: (
      <>
        <h1>Nothing was connected</h1>
        <Message tone="bad">{reason}</Message>
      </>
    ),
  });
}

/** A mistake in the link. The program that created it is notified only if the user goes there. */
export function renderMistake(reason: string, client: Client, address: string): string {
  return renderRefusal(
    <>
      <p>{reason} This is an error in the program that sent you here.</p>
      <p>
        <a href={address} rel="noreferrer">
          Go back to {isPrivateUse(address) ? "the program" : new URL(address).host}
        </a>{" "}
        (<Text of={client.name} />)
      </p>
    </>,
  );
}

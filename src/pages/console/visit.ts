/**
 * One visit to a page of the console: the visitor, the request, and what the page may do with it.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import type { Actor } from "../../accounts/actor.ts";
import type { Principal } from "../../api/callers/callers.ts";
import type { BuyFeed } from "../../consumer/buy_feed.ts";
import type { Call } from "../../http/call.ts";
import { Problem } from "../../http/problem_details.ts";
import type { FieldError } from "../../lib/field_error.ts";
import { parseUuid } from "../../lib/uuid.ts";
import type { Notifying } from "../../notices/webhooks.ts";
import type { Keeping } from "../../operator/act_once.ts";
import type { Inviting } from "../../people/members.ts";
import type { Services } from "../../services.ts";
import type { Admit } from "./admit.ts";
import type { FormField } from "./form_field.ts";
import type { AskApi, AskText } from "./own_api.ts";
import type { Session } from "./sessions.ts";

/** Begins a top-up by card, for an amount of USD as it was typed. @throws {Problem} 403, 503 */
export type TopUpByCard = (
  payer: Pick<Principal, "accountId" | "keyId">,
  usd: string | undefined,
) => Promise<
  | { readonly kind: "begun"; readonly amountNanos: bigint; readonly payUrl: string }
  | { readonly kind: "refused"; readonly why: string }
>;

export interface Visit {
  readonly session: Session;
  /** For an operator's pages. */
  readonly operator: Inviting & Notifying;
  /** Where is kept which of an operator's forms were acted on. */
  readonly keeping: Keeping;
  readonly actor: Actor;
  /** What functions of providers and consumers work with. */
  readonly services: Services;
  /** The page's own. */
  readonly call: Call;
  /** Proves the session's key and counts a call of its account, as over HTTP. @throws {Problem} 401, 403, 429, 503 */
  readonly admit: Admit;
  readonly buyFeed: BuyFeed;
  /** Calls of routes, for reads and bodies, which take a request. */
  readonly ask: AskApi;
  /** For answers that are no JSON document as a whole. */
  readonly askText: AskText;
  /** The parts of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The way from the page's folder to the gateway's root. */
  readonly root: string;
  /** Public, without a trailing slash. */
  readonly baseUrl: string;
  /** Undefined if accounts can't pay for credits by card. */
  readonly topUpByCard: TopUpByCard | undefined;
}

/** What a page shows. */
export interface View {
  readonly title: string;
  readonly hasCharts?: boolean;
  /** The address of the events that say that the page has changed. @default none */
  readonly live?: string | undefined;
  /** More of the head. */
  readonly head?: ComponentChildren;
  readonly content: ComponentChildren;
}

/** What a form has sent. */
export interface Form {
  /** As it was typed, with LF at the end of lines; "" if it is absent. */
  typed(name: string): string;
  /** Trimmed; "" if it is absent. */
  text(name: string): string;
  /** Trimmed; undefined if it is blank. */
  given(name: string): string | undefined;
  /** All fields but files, as they were typed. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly file: File | undefined;
}

/** What came of a form. */
export type Acted =
  /** Go on to this path below `/console`, where the sentence is shown. */
  | { readonly kind: "go"; readonly to: string; readonly done: Done }
  /** Show this now: what is shown once, such as a key. */
  | { readonly kind: "show"; readonly view: View }
  | Refused;

/** The page is shown again with what was typed, and why. */
export interface Refused {
  readonly kind: "refused";
  readonly why: string;
  /** Further mistakes, one sentence each. */
  readonly mistakes?: readonly string[];
  /** All mistakes with their places, for fields that mark them. */
  readonly errors?: readonly FieldError[];
}

/** A file instead of a page. */
export interface Download {
  readonly name: string;
  /** The media type. */
  readonly type: string;
  readonly text: string;
}

/** A page, and what its forms do. */
export interface PageRoute {
  /** Below `/console`; "" is the home of its role. */
  readonly path: string;
  /** `form` is what was typed, if that was refused, and `refused` why. */
  show(visit: Visit, form?: Form, refused?: Refused): Promise<View>;
  /**
   * The topic and version that `…/live` watches while the page is open. @throws {Problem} if the visitor may not see it
   */
  watch?(visit: Visit): Promise<{ readonly topic: string; readonly version: bigint | undefined }>;
  /** Answers a GET in the place of `show`, if there is a file for its query. */
  download?(visit: Visit): Promise<Download | undefined>;
  /** By the value of the form's button `act`. */
  readonly acts?: Readonly<Record<string, Act>>;
}

/** What a button does. */
export type Act = Change | Look;

export interface Change {
  /**
   * What will happen, which a person confirms first. Without it, the button acts at once: only for what its form
   * explains and what can be undone.
   */
  confirm?(form: Form, visit: Visit): Confirmation | Promise<Confirmation>;
  /** What the confirmation asks for, if the form did not. */
  readonly asks?: readonly FormField[];
  /** Whether a person must be an owner of the account. */
  readonly isForOwners?: boolean;
  run(visit: Visit, form: Form): Promise<Acted>;
}

interface Look {
  look(visit: Visit, form: Form): Promise<Acted>;
}

/** What will happen; or why there is nothing to confirm. A string is a question's sentence. */
export type Confirmation = string | Question | Choice | Refused;

/** Which one of several was meant by what a field says. The field is sent again with one of the values. */
export interface Choice {
  readonly kind: "choose";
  /** The field's name. */
  readonly field: string;
  readonly sentence: string;
  readonly choices: readonly {
    readonly value: string;
    readonly text: string;
    readonly note: string;
  }[];
}

export interface Question {
  readonly kind: "ask";
  readonly sentence: string;
  /** Below the sentence: more to look at. */
  readonly details?: ComponentChildren;
  /** Sent along with what the form had, in the place of fields of the same names. */
  readonly fields?: Form["fields"];
}

/** Confirmation messages. An address refers to one by name, so a link can't make the page show any other text. */
export const DONE = {
  published: "The feed is now listed.",
  unpublished: "The feed is no longer listed.",
  declined: "The feed was declined. Its provider can see the reason.",
  suspended: "Suspended. The suspension applies from the next request.",
  resumed: "The suspension has ended.",
  deleted: "The feed is deleted. Its rows are removed in the background.",
  granted: "The credits were added to the account's balance.",
  taken: "The credits were revoked.",
  revoked: "The key was revoked. Requests with it are refused from now on.",
  agent_ended: "The agent was disconnected. Its calls are refused from now on.",
  account_created: "The account was created. It needs a key, and credits to use paid feeds.",
  account_named_twice:
    "The account was created. Another account has the same name, so tell them apart by ID.",
  edited: "Saved.",
  code_created: "The code was created.",
  made: "Created.",
  refunded: "The charge was refunded to the account.",
  undone: "The purchase was undone. If it was paid from the balance, the price was refunded.",
  recorded: "Recorded.",
  payout_undone: "The payout was reversed. Both entries stay in the list.",
  bought: "Purchased. Reads of this feed are now free.",
  asked: "The operator has been asked to list the feed.",
  drafted: "Saved as a draft that only you can see.",
  submitted: "The feed is active, and the operator has been asked to list it.",
  row_pushed: "The row was stored.",
  row_known: "The stream already contains an event with this ID. Nothing was changed.",
  redeemed: "The code was redeemed. Its credits were added to the account's balance.",
  invited: "Invited for 7 days. Anyone who verifies the address can accept after signing in.",
  withdrawn: "The invitation was withdrawn.",
  removed:
    "Removed. The person was signed out of this account, and their agents were disconnected.",
  joined: "You are now a member of this account.",
  declined_invitation: "The invitation was declined.",
  left: "You have left the account.",
  closed: "The account was closed.",
  access_asked:
    "Your request was sent to the provider. The answer will appear here and on the Access page.",
  access_taken: "Accepted. This account can now read the feed.",
  access_set: "Saved. The change applies from the next request.",
  reader_granted: "Granted. The account can now read the feed.",
  reader_ended: "Access ended. The account's next read will be refused.",
  access_declined: "Declined. The account can see your answer.",
  reader_invited:
    "Invited for 7 days. When the invitee verifies the address, their account is granted access.",
} as const;
export type Done = keyof typeof DONE;

/** The sentence of an address's `done`; undefined for any that is none. */
export function doneText(name: string | null): string | undefined {
  return Object.entries(DONE).find(([known]) => known === name)?.[1];
}

/** The id in a page's path. @throws {Problem} 404 */
export function idOf({ params }: Visit): string {
  const id = parseUuid(params.id ?? "");
  if (id !== undefined) return id;
  throw new Problem("ROUTE_NOT_FOUND", {
    detail: "This address does not contain a valid ID. Check the link.",
  });
}

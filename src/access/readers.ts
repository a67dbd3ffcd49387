/**
 * The owner of a feed decides which accounts read it: grants, requests, and invitations of addresses.
 *
 * A grant is part of its account's state in admission, so it holds from the next read on, on every process. See
 * `src/spec/beyond.md`, section 18.
 *
 * @module
 */
import type { Actor } from "../accounts/actor.ts";
import { feedForbidden } from "../api/problems/feed_problems.ts";
import { type Feed, findOwned } from "../feeds/find.ts";
import { Problem } from "../http/problem_details.ts";
import { nameIn, present } from "../lib/assert.ts";
import { parseMailAddress } from "../lib/mail_address.ts";
import { readTimePage } from "../lib/time_cursor.ts";
import { parseUuid } from "../lib/uuid.ts";
import { INVITATION_DAYS, READER_INVITATIONS_MAX } from "../limits.ts";
import type { InputOf } from "../operator/operator.ts";
import { readerInvitationMail } from "../people/mail/templates.tsx";
import type { Row } from "../postgres/client/database.ts";
import type { Services } from "../services.ts";
import {
  type AccessRequest,
  type AccessRequests,
  type ApproveAccessInput,
  type DeclineAccessInput,
  type InviteReaderInput,
  REQUEST_STATES,
  type Reader,
  type ReaderInvitation,
  type Readers,
  type SetReaderInput,
} from "./access_shapes.ts";

export type AccessServices = Pick<
  Services,
  "database" | "storedFeeds" | "cursorSecret" | "config" | "http" | "mail"
>;

/** A feed of the account that acts. */
export interface OwnedFeed {
  readonly accountId: string;
  /** The feed's id or slug. */
  readonly reference: string;
}

interface PageAsked {
  readonly limit: number;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
}

/** The newest come first. @throws {Problem} 400 for a cursor of another feed, 403 */
export async function listReaders(
  services: AccessServices,
  owned: OwnedFeed,
  { limit, cursor }: PageAsked,
): Promise<Readers> {
  const { feedId } = await requireOwned(services, owned);
  const page = await readTimePage({
    limit,
    cursor,
    scope: { secret: services.cursorSecret, purpose: "readers cursor", binding: feedId },
    read: (place, rowsMax) =>
      services.database
        .onBehalfOf(owned.accountId)
        .rows("list_feed_grants", { feed_id: feedId, account_id: null, ...place, limit: rowsMax }),
    placeOf: (row) => ({ time: row.granted_at, id: row.account_id }),
  });
  if (page === undefined) throw cursorInvalid("this feed's readers");
  const { rows, nextCursor } = page;
  return { readers: [...rows], limit, has_more: nextCursor !== null, next_cursor: nextCursor };
}

/** The grant of an account; undefined if it has none. @throws {Problem} 403 */
export async function findReader(
  services: AccessServices,
  owned: OwnedFeed,
  given: string,
): Promise<Reader | undefined> {
  const { feedId } = await requireOwned(services, owned);
  const accountId = parseUuid(given);
  if (accountId === undefined) return undefined;
  const [reader] = await services.database.onBehalfOf(owned.accountId).rows("list_feed_grants", {
    feed_id: feedId,
    account_id: accountId,
    before_time: null,
    before_id: null,
    limit: 1,
  });
  return reader;
}

/** Lets an account read the feed, or changes how it may. What the input leaves out is as for a new grant. @throws {Problem} */
export async function setReader(
  services: AccessServices,
  owned: OwnedFeed,
  {
    accountId: given,
    terms,
    actor,
  }: {
    readonly accountId: string;
    readonly terms: InputOf<typeof SetReaderInput>;
    readonly actor: Actor;
  },
): Promise<Reader> {
  const { feedId } = await requireOwned(services, owned);
  const accountId = parseUuid(given);
  if (accountId === undefined) throw accountUnknown();
  const { outcome, ...granted } = present(
    await services.database.row("grant_access", {
      feed_id: feedId,
      account_id: accountId,
      ...termsOf(terms),
      actor,
    }),
  );
  switch (outcome) {
    case "granted":
      return {
        account_id: present(granted.account_id),
        account_name: present(granted.account_name),
        is_free: present(granted.is_free),
        expires_at: granted.expires_at,
        note: granted.note,
        granted_at: present(granted.granted_at),
      };
    case "account_unknown":
      throw accountUnknown();
    case "own_feed":
      throw new Problem("ACCESS_NOT_NEEDED", {
        detail: "This account owns the feed, so it reads the feed without a grant.",
      });
    case "ended":
      throw endPassed();
    default:
      throw new Error(`grant_access returned the unknown outcome "${outcome}"`);
  }
}

/** Ends a grant, from the next read on. @throws {Problem} 403, 404 */
export async function removeReader(
  services: AccessServices,
  owned: OwnedFeed,
  { accountId: given, actor }: { readonly accountId: string; readonly actor: Actor },
): Promise<void> {
  const { feedId } = await requireOwned(services, owned);
  const accountId = parseUuid(given);
  const ended =
    accountId &&
    (await services.database.row("end_access", { feed_id: feedId, account_id: accountId, actor }));
  if (!ended) throw readerUnknown();
}

interface RequestsAsked extends PageAsked {
  readonly status?: string | undefined;
}

/** Requests at a feed, the newest first. @throws {Problem} 400 for a cursor of another feed, 403 */
export async function listAccessRequests(
  services: AccessServices,
  owned: OwnedFeed,
  { limit, cursor, status }: RequestsAsked,
): Promise<AccessRequests> {
  const { feedId } = await requireOwned(services, owned);
  return pageOfRequests(services, { feedId, askerId: null, status, limit, cursor });
}

interface RequestsPage extends RequestsAsked {
  /** Null: at all feeds. */
  readonly feedId: string | null;
  /** Who asks, which sees no request for a feed that it does not find any more. Null: all of them. */
  readonly askerId: string | null;
}

/** Requests at a feed, or of an account. @throws {Problem} 400 */
export async function pageOfRequests(
  { database, cursorSecret: secret }: Pick<Services, "database" | "cursorSecret">,
  { feedId, askerId, status, limit, cursor }: RequestsPage,
): Promise<AccessRequests> {
  const binding = `${feedId ?? ""} ${askerId ?? ""} ${status ?? ""}`;
  const page = await readTimePage({
    limit,
    cursor,
    scope: { secret, purpose: "access requests cursor", binding },
    read: (place, rowsMax) =>
      database.rows("list_access_requests", {
        feed_id: feedId,
        account_id: askerId,
        finder_id: askerId,
        status: status ?? null,
        ...place,
        limit: rowsMax,
      }),
    placeOf: (row) => ({ time: row.asked_at, id: row.request_id }),
  });
  if (page === undefined) throw cursorInvalid("these requests");
  const { rows, nextCursor } = page;
  return {
    requests: rows.map(requestOf),
    limit,
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  };
}

function requestOf(row: Row<"list_access_requests">): AccessRequest {
  return { ...row, status: nameIn(REQUEST_STATES, row.status) };
}

/** The request of an outcome that has written one. */
export function writtenRequest(
  row: Row<"request_access"> | Row<"answer_access_request">,
): AccessRequest {
  return {
    request_id: present(row.request_id),
    feed_id: present(row.feed_id),
    endpoint_path: row.endpoint_path,
    feed_name: present(row.feed_name),
    account_id: present(row.account_id),
    account_name: present(row.account_name),
    message: row.message,
    status: nameIn(REQUEST_STATES, present(row.status)),
    reason: row.reason,
    asked_at: present(row.asked_at),
    answered_at: row.answered_at,
  };
}

type Answer =
  | ({ readonly kind: "approve" } & InputOf<typeof ApproveAccessInput>)
  | ({ readonly kind: "decline" } & InputOf<typeof DeclineAccessInput>);

/** Approves a request, which grants access, or declines it. @throws {Problem} 403, 404, 409, 422 */
export async function answerAccessRequest(
  services: AccessServices,
  owned: OwnedFeed,
  {
    requestId: given,
    answer,
    actor,
  }: { readonly requestId: string; readonly answer: Answer; readonly actor: Actor },
): Promise<AccessRequest> {
  const { feedId } = await requireOwned(services, owned);
  const requestId = parseUuid(given);
  if (requestId === undefined) throw requestUnknown();
  const isApproved = answer.kind === "approve";
  const answered = present(
    await services.database.row("answer_access_request", {
      feed_id: feedId,
      request_id: requestId,
      is_approved: isApproved,
      is_free: isApproved && answer.is_free === true,
      expires_at: isApproved ? (answer.expires_at ?? null) : null,
      reason: isApproved ? null : (answer.reason ?? null),
      actor,
    }),
  );
  switch (answered.outcome) {
    case "approved":
    case "declined":
      return writtenRequest(answered);
    case "not_found":
      throw requestUnknown();
    case "account_unknown":
      throw accountUnknown();
    case "ended":
      throw endPassed();
    case "answered_before":
      throw new Problem("ACCESS_ANSWERED", {
        detail:
          "This request was answered before. To change the answer, change the account's grant.",
      });
    default:
      throw new Error(`answer_access_request returned the unknown outcome "${answered.outcome}"`);
  }
}

/** Invites an address: the account of whoever proves it may read the feed. @throws {Problem} 403, 409, 422 */
export async function inviteReader(
  services: AccessServices,
  owned: OwnedFeed,
  { input, actor }: { readonly input: InputOf<typeof InviteReaderInput>; readonly actor: Actor },
): Promise<ReaderInvitation> {
  const { feedId } = await requireOwned(services, owned);
  const parsed = parseMailAddress(input.address);
  if (parsed === undefined) {
    throw new Problem("ADDRESS_INVALID", {
      detail: "That is not an e-mail address such as ada@example.com.",
    });
  }
  const terms = termsOf(input);
  if (terms.expires_at !== null && Date.parse(terms.expires_at) <= Date.now()) throw endPassed();
  const { database, http, config } = services;
  const row = present(
    await database.row("find_feed_row", {
      feed_id: feedId,
      endpoint_path: null,
      active_only: false,
      reader_id: null,
    }),
  );
  const mail =
    config.mail &&
    readerInvitationMail({
      feedName: row.name,
      providerName: row.account_name,
      signInUrl: `${http.baseUrl()}/console/sign-in`,
      days: INVITATION_DAYS,
    });
  const { outcome, ...invited } = present(
    await database.row("invite_reader", {
      feed_id: feedId,
      address: parsed.address,
      address_key: parsed.key,
      ...terms,
      lifetime: `${INVITATION_DAYS} days`,
      invitations_max: READER_INVITATIONS_MAX,
      mail_subject: mail?.subject ?? null,
      mail_text: mail?.text ?? null,
      mail_html: mail?.html ?? null,
      actor,
    }),
  );
  if (outcome === "limited") {
    throw new Problem("INVITATIONS_LIMIT", {
      detail: `The feed has ${READER_INVITATIONS_MAX} open invitations, which is as many as it may have. Withdraw one first.`,
    });
  }
  services.mail?.wake();
  // As it was made: by now it may be withdrawn.
  return {
    id: present(invited.invitation_id),
    address: present(invited.address),
    is_free: present(invited.is_free),
    expires_at: invited.expires_at,
    note: invited.note,
    ends_at: present(invited.ends_at),
  };
}

/** Those that can be taken up. @throws {Problem} 403 */
export async function listReaderInvitations(
  services: AccessServices,
  owned: OwnedFeed,
): Promise<readonly ReaderInvitation[]> {
  const { feedId } = await requireOwned(services, owned);
  const rows = await services.database.rows("list_reader_invitations", { feed_id: feedId });
  return rows.map(({ invitation_id: id, ...row }) => ({ id, ...row }));
}

/** @throws {Problem} 403, 404 */
export async function withdrawReaderInvitation(
  services: AccessServices,
  owned: OwnedFeed,
  given: string,
): Promise<void> {
  const { feedId } = await requireOwned(services, owned);
  const invitationId = parseUuid(given);
  const withdrawn =
    invitationId &&
    (await services.database.row("withdraw_reader_invitation", {
      feed_id: feedId,
      invitation_id: invitationId,
    }));
  if (withdrawn) return;
  throw new Problem("INVITATION_NOT_FOUND", {
    detail: "This feed has no open invitation with this id. List them to see those that are open.",
  });
}

/** A feed of the account, also while it is suspended. @throws {Problem} 403 */
async function requireOwned(
  { storedFeeds }: AccessServices,
  { accountId, reference }: OwnedFeed,
): Promise<Feed> {
  const feed = await findOwned(storedFeeds, accountId, reference);
  if (feed === undefined) throw feedForbidden();
  return feed;
}

function termsOf({ is_free: isFree, expires_at: end, note }: InputOf<typeof SetReaderInput>) {
  return { is_free: isFree === true, expires_at: end ?? null, note: note ?? null };
}

function accountUnknown(): Problem {
  return new Problem("ACCOUNT_NOT_FOUND", {
    detail: "No open account has this id. Ask the reader for it: GET /v1/account shows it.",
  });
}

function readerUnknown(): Problem {
  return new Problem("READER_NOT_FOUND", {
    detail: "This account was not granted access to the feed, or its grant has ended.",
  });
}

function requestUnknown(): Problem {
  return new Problem("ACCESS_REQUEST_NOT_FOUND", {
    detail: "This feed has no request with this id. List them with GET …/access-requests.",
  });
}

function endPassed(): Problem {
  const message = "expires_at must be later than now";
  return new Problem("VALIDATION_FAILED", {
    detail: "The grant would end before it begins. Send a later expires_at, or none.",
    extras: { errors: [{ path: "/expires_at", message }] },
  });
}

export function cursorInvalid(list: string): Problem {
  return new Problem("CURSOR_INVALID", {
    detail: `This cursor was not issued for ${list}. Start again without it.`,
  });
}

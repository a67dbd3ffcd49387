/**
 * Requests for access, as a feed's owner lists and answers them. See `src/spec/beyond.md`, section 18.
 *
 * @module
 */
import type { Actor } from "../accounts/actor.ts";
import {
  ACCESS_REQUEST_STATES,
  type AccessRequest,
  accessRequestOf,
} from "../feeds/access_request.ts";
import { Problem } from "../http/problem_details.ts";
import { nameIn, present } from "../lib/assert.ts";
import { readTimePage } from "../lib/time_cursor.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { InputOf } from "../operator/operator.ts";
import type { Row } from "../postgres/client/database.ts";
import type { Services } from "../services.ts";
import type { AccessRequests, ApproveAccessInput, DeclineAccessInput } from "./access_shapes.ts";
import {
  type AccessServices,
  accountUnknown,
  cursorInvalid,
  endPassed,
  type OwnedFeed,
  type PageAsked,
  requireOwned,
} from "./owned_feed.ts";

interface RequestsAsked extends PageAsked {
  readonly status?: string | undefined;
}

/** Requests for access to a feed, newest first. @throws {Problem} 400 for a cursor of another feed, 403 */
export async function listAccessRequests(
  services: AccessServices,
  owned: OwnedFeed,
  { limit, cursor, status }: RequestsAsked,
): Promise<AccessRequests> {
  const { feedId } = await requireOwned(services, owned);
  return pageOfRequests(services, { feedId, askerId: null, status, limit, cursor });
}

interface RequestsPage extends RequestsAsked {
  /** Null means all feeds. */
  readonly feedId: string | null;
  /** The requesting account. Its requests for feeds that it can no longer find are omitted. Null means all accounts. */
  readonly askerId: string | null;
}

/** Requests for a feed, or by an account. @throws {Problem} 400 */
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
    requests: rows.map(accessRequestOf),
    limit,
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  };
}

/** The request that an outcome has written. */
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
    status: nameIn(ACCESS_REQUEST_STATES, present(row.status)),
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
          "This request was already answered. To change the answer, change the account's grant.",
      });
    default:
      throw new Error(`answer_access_request returned the unknown outcome "${answered.outcome}"`);
  }
}

function requestUnknown(): Problem {
  return new Problem("ACCESS_REQUEST_NOT_FOUND", {
    detail: "This feed has no request with this id. List them with GET …/access-requests.",
  });
}

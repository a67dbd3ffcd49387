/**
 * Routes through which the owner of a feed controls which accounts can read it: grants, requests, and invitations.
 *
 * See `src/spec/beyond.md`, section 18.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  AccessRequestsShape,
  ApproveAccessInput,
  DeclineAccessInput,
  InviteReaderInput,
  ReaderInvitationShape,
  ReaderInvitationsShape,
  ReaderShape,
  ReadersShape,
  SetReaderInput,
} from "../../access/access_shapes.ts";
import {
  inviteReader,
  listReaderInvitations,
  withdrawReaderInvitation,
} from "../../access/reader_invitations.ts";
import {
  findReader,
  listReaders,
  readerUnknown,
  removeReader,
  setReader,
} from "../../access/readers.ts";
import { answerAccessRequest, listAccessRequests } from "../../access/requests.ts";
import type { Actor } from "../../accounts/actor.ts";
import { authenticated } from "../../api/callers/auth.ts";
import type { Principal } from "../../api/callers/callers.ts";
import { actorOf } from "../../api/callers/faces.ts";
import { admitHousekeeping } from "../../api/callers/unlogged_calls.ts";
import { cappedLimit, cursorParameters } from "../../api/input/paging.ts";
import { NO_PARAMETERS, parameters } from "../../api/input/parameters.ts";
import { receiveInput } from "../../api/input/receive_input.ts";
import {
  BODY_PROBLEMS,
  COUNTED,
  described,
  documented,
  OWN_FEED_PARAMS,
} from "../../api/reference/described.ts";
import { ACCESS_REQUEST, FEED_READER, READER_INVITATION } from "../../api/reference/examples.ts";
import { ACCESS_REQUEST_STATES, AccessRequestShape } from "../../feeds/access_request.ts";
import { privateJson } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { respond, respondEmpty, respondPage } from "../../http/respond.ts";
import { oneOf } from "../../lib/typebox.ts";
import type { Services } from "../../services.ts";

const COMMON = { access: "provider", window: "housekeeping", tag: "provider" } as const;
const HEADERS = ["Cache-Control"] as const;
const PAGE = { headers: HEADERS, headersOptional: ["Link"] } as const;
const NEXT = { limit: 20, has_more: false, next_cursor: null };

const LIST_READERS = described({
  ...COMMON,
  operationId: "listReaders",
  summary: "List the accounts with access to a feed",
  description: "Newest first. Ended grants are omitted.",
  answers: {
    200: documented(ReadersShape, {
      description: "A page of readers.",
      ...PAGE,
      examples: { "One reader": { readers: [FEED_READER], ...NEXT } },
    }),
  },
  problems: ["CURSOR_INVALID", "FEED_FORBIDDEN", ...COUNTED],
});
const GET_READER = described({
  ...COMMON,
  operationId: "getReader",
  summary: "Show an account's grant",
  description: "As in the list of readers. An ended grant is not found.",
  answers: {
    200: documented(ReaderShape, {
      description: "The grant.",
      headers: HEADERS,
      examples: { "A reader": FEED_READER },
    }),
  },
  problems: ["FEED_FORBIDDEN", "READER_NOT_FOUND", ...COUNTED],
});
const SET_READER = described({
  ...COMMON,
  operationId: "setReader",
  summary: "Grant an account access, or change its grant",
  description:
    "Fields that the body leaves out get their default. With `is_free`, reads are free for the account, even if the feed is open. A pending request of the account is approved. Applies from the account's next read.",
  answers: {
    200: documented(ReaderShape, {
      description: "The grant.",
      headers: HEADERS,
      examples: { "A reader": FEED_READER },
    }),
  },
  problems: [
    ...BODY_PROBLEMS,
    "FEED_FORBIDDEN",
    "ACCOUNT_NOT_FOUND",
    "ACCESS_NOT_NEEDED",
    ...COUNTED,
  ],
});
const SET_BODY = documented(SetReaderInput, {
  description: "The terms of the grant; at most 64 KB.",
  examples: {
    "Free, until a date": { is_free: true, expires_at: "2099-12-31T23:59:59Z" },
    "At its price": {},
  },
});
const REMOVE_READER = described({
  ...COMMON,
  operationId: "removeReader",
  summary: "End an account's grant",
  description:
    "Applies from the account's next read. If the account has bought the feed, it can still read it.",
  answers: { 204: documented(Type.Void(), { description: "Ended.", headers: HEADERS }) },
  problems: ["FEED_FORBIDDEN", "READER_NOT_FOUND", ...COUNTED],
});
const LIST_REQUESTS = described({
  ...COMMON,
  operationId: "listFeedAccessRequests",
  summary: "List the access requests for a feed",
  description: "Newest first.",
  answers: {
    200: documented(AccessRequestsShape, {
      description: "A page of requests.",
      ...PAGE,
      examples: { "One request": { requests: [ACCESS_REQUEST], ...NEXT } },
    }),
  },
  problems: ["CURSOR_INVALID", "FEED_FORBIDDEN", ...COUNTED],
});
const ANSWERED = {
  200: documented(AccessRequestShape, {
    description: "The answered request.",
    headers: HEADERS,
    examples: { "A request": ACCESS_REQUEST },
  }),
};
const ANSWER_PROBLEMS = [
  ...BODY_PROBLEMS,
  "FEED_FORBIDDEN",
  "ACCESS_REQUEST_NOT_FOUND",
  "ACCESS_ANSWERED",
] as const;
const APPROVE = described({
  ...COMMON,
  operationId: "approveAccess",
  summary: "Approve an access request",
  description: "Grants the account access, like `PUT …/readers/{account_id}`.",
  answers: ANSWERED,
  problems: [...ANSWER_PROBLEMS, "ACCOUNT_NOT_FOUND", ...COUNTED],
});
const APPROVE_BODY = documented(ApproveAccessInput, {
  description: "The terms of the grant.",
  examples: { "At its price": {}, Free: { is_free: true } },
});
const DECLINE = described({
  ...COMMON,
  operationId: "declineAccess",
  summary: "Decline an access request",
  description: "The account sees the reason and may ask again after 7 days.",
  answers: ANSWERED,
  problems: [...ANSWER_PROBLEMS, ...COUNTED],
});
const DECLINE_BODY = documented(DeclineAccessInput, {
  description: "The reason; optional.",
  examples: { "With a reason": { reason: "This feed is for schools only." } },
});
const LIST_INVITATIONS = described({
  ...COMMON,
  operationId: "listReaderInvitations",
  summary: "List the open invitations to read a feed",
  description: "Invitations that can be accepted, oldest first.",
  answers: {
    200: documented(ReaderInvitationsShape, {
      description: "All of them.",
      headers: HEADERS,
      examples: { One: { invitations: [READER_INVITATION] } },
    }),
  },
  problems: ["FEED_FORBIDDEN", ...COUNTED],
});
const INVITE = described({
  ...COMMON,
  operationId: "inviteReader",
  summary: "Invite an address to read a feed",
  description:
    "When the invitee verifies the address within 7 days, the account that they sign in to gets the grant. If mail is configured, the invitation is emailed: at most once per hour from one account to an address, and 5 times from all accounts. Withdrawn and accepted invitations count. A second invitation replaces the first.",
  answers: {
    201: documented(ReaderInvitationShape, {
      description: "The invitation.",
      headers: HEADERS,
      examples: { "An invitation": READER_INVITATION },
    }),
  },
  problems: [
    ...BODY_PROBLEMS,
    "FEED_FORBIDDEN",
    "ADDRESS_INVALID",
    "INVITATIONS_LIMIT",
    ...COUNTED,
  ],
});
const INVITE_BODY = documented(InviteReaderInput, {
  description: "The address, and the terms of the grant.",
  examples: { "An address": { address: "ada@example.com" } },
});
const WITHDRAW = described({
  ...COMMON,
  operationId: "withdrawReaderInvitation",
  summary: "Withdraw an invitation",
  description: "It can no longer be accepted.",
  answers: { 204: documented(Type.Void(), { description: "Withdrawn.", headers: HEADERS }) },
  problems: ["FEED_FORBIDDEN", "INVITATION_NOT_FOUND", ...COUNTED],
});

const READERS_QUERY = parameters(cursorParameters("Readers"));
const REQUESTS_QUERY = parameters({
  ...cursorParameters("Requests"),
  status: Type.Optional(
    oneOf(ACCESS_REQUEST_STATES, { description: "Only requests in this state." }),
  ),
});
const feedId = OWN_FEED_PARAMS.properties.feed_id;
const READER_PARAMS = Type.Object({
  feed_id: feedId,
  account_id: Type.String({
    description: "The account, by its id.",
    examples: [FEED_READER.account_id],
  }),
});
const REQUEST_PARAMS = Type.Object({
  feed_id: feedId,
  id: Type.String({
    description: "The request, by its id.",
    examples: [ACCESS_REQUEST.request_id],
  }),
});
const INVITATION_PARAMS = Type.Object({
  feed_id: feedId,
  id: Type.String({ description: "The invitation, by its id.", examples: [READER_INVITATION.id] }),
});

/** A call about one of the key's account's own feeds. */
interface OwnCall {
  readonly call: Call;
  readonly principal: Principal;
  readonly params: { readonly feed_id: string };
}

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function readerRoutes(services: Services) {
  const { http, keys } = services;
  const admit = ({ call, principal }: OwnCall, operation: "feeds" | "save") =>
    admitHousekeeping(services, { call, principal, operation });

  return new Elysia({ name: "readers" })
    .use(authenticated(keys, "write"))
    .get(
      "/provider/feed/:feed_id/readers",
      async (own) => {
        await admit(own, "feeds");
        const { limit, cursor } = own.query;
        const asked = { limit: cappedLimit(limit), cursor };
        const page = await listReaders(services, ownedOf(own), asked);
        return respondPage({ http, call: own.call }, page);
      },
      { params: OWN_FEED_PARAMS, query: READERS_QUERY, ...LIST_READERS },
    )
    .get(
      "/provider/feed/:feed_id/readers/:account_id",
      async (own) => {
        await admit(own, "feeds");
        const reader = await findReader(services, ownedOf(own), own.params.account_id);
        if (reader === undefined) throw readerUnknown();
        return answer(reader);
      },
      { params: READER_PARAMS, query: NO_PARAMETERS, ...GET_READER },
    )
    .put(
      "/provider/feed/:feed_id/readers/:account_id",
      async (own) => {
        await admit(own, "save");
        const terms = await receiveInput(services, own, SetReaderInput);
        const { account_id: accountId } = own.params;
        const set = { accountId, terms, actor: ownActor(own) };
        return answer(await setReader(services, ownedOf(own), set));
      },
      { parse: "none", params: READER_PARAMS, query: NO_PARAMETERS, body: SET_BODY, ...SET_READER },
    )
    .delete(
      "/provider/feed/:feed_id/readers/:account_id",
      async (own) => {
        await admit(own, "save");
        const { account_id: accountId } = own.params;
        await removeReader(services, ownedOf(own), { accountId, actor: ownActor(own) });
        return respondEmpty();
      },
      { params: READER_PARAMS, query: NO_PARAMETERS, ...REMOVE_READER },
    )
    .get(
      "/provider/feed/:feed_id/access-requests",
      async (own) => {
        await admit(own, "feeds");
        const { limit, cursor, status } = own.query;
        const asked = { limit: cappedLimit(limit), cursor, status };
        const page = await listAccessRequests(services, ownedOf(own), asked);
        return respondPage({ http, call: own.call }, page);
      },
      { params: OWN_FEED_PARAMS, query: REQUESTS_QUERY, ...LIST_REQUESTS },
    )
    .post(
      "/provider/feed/:feed_id/access-requests/:id/approve",
      async (own) => {
        await admit(own, "save");
        const terms = await receiveInput(services, own, ApproveAccessInput);
        const answered = {
          requestId: own.params.id,
          answer: { kind: "approve", ...terms } as const,
          actor: ownActor(own),
        };
        return answer(await answerAccessRequest(services, ownedOf(own), answered));
      },
      {
        parse: "none",
        params: REQUEST_PARAMS,
        query: NO_PARAMETERS,
        body: APPROVE_BODY,
        ...APPROVE,
      },
    )
    .post(
      "/provider/feed/:feed_id/access-requests/:id/decline",
      async (own) => {
        await admit(own, "save");
        const given = await receiveInput(services, own, DeclineAccessInput);
        const answered = {
          requestId: own.params.id,
          answer: { kind: "decline", ...given } as const,
          actor: ownActor(own),
        };
        return answer(await answerAccessRequest(services, ownedOf(own), answered));
      },
      {
        parse: "none",
        params: REQUEST_PARAMS,
        query: NO_PARAMETERS,
        body: DECLINE_BODY,
        ...DECLINE,
      },
    )
    .get(
      "/provider/feed/:feed_id/reader-invitations",
      async (own) => {
        await admit(own, "feeds");
        const invitations = await listReaderInvitations(services, ownedOf(own));
        return answer({ invitations });
      },
      { params: OWN_FEED_PARAMS, query: NO_PARAMETERS, ...LIST_INVITATIONS },
    )
    .post(
      "/provider/feed/:feed_id/reader-invitations",
      async (own) => {
        await admit(own, "save");
        const input = await receiveInput(services, own, InviteReaderInput);
        const invited = { input, actor: ownActor(own) };
        return answer(await inviteReader(services, ownedOf(own), invited), 201);
      },
      {
        parse: "none",
        params: OWN_FEED_PARAMS,
        query: NO_PARAMETERS,
        body: INVITE_BODY,
        ...INVITE,
      },
    )
    .delete(
      "/provider/feed/:feed_id/reader-invitations/:id",
      async (own) => {
        await admit(own, "save");
        await withdrawReaderInvitation(services, ownedOf(own), own.params.id);
        return respondEmpty();
      },
      { params: INVITATION_PARAMS, query: NO_PARAMETERS, ...WITHDRAW },
    );
}

function ownedOf({ principal, params }: OwnCall) {
  return { accountId: principal.accountId, reference: params.feed_id };
}

function ownActor({ call, principal }: OwnCall): Actor {
  return actorOf(call.request, principal.keyId);
}

function answer(body: object, status = 200): Response {
  return respond({ status, headers: privateJson(), body: JSON.stringify(body) });
}

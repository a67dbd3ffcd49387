/**
 * Request and response bodies of the routes that manage access to feeds that are not open. See `src/spec/beyond.md`,
 * section 18.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { AccessRequestShape } from "../feeds/access_request.ts";
import { nullable, text } from "../lib/typebox.ts";
import { ACCESS_TEXT_LENGTH_MAX, PAGE_LIMIT_MAX } from "../limits.ts";
import { nextCursor, time, uuid } from "../shapes.ts";

const pageMembers = {
  limit: Type.Integer({
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    description: "The page size that was applied.",
  }),
  has_more: Type.Boolean({ description: "Whether there are older entries." }),
  next_cursor: nextCursor,
};

const message = (description: string) =>
  text({ minLength: 1, maxLength: ACCESS_TEXT_LENGTH_MAX, description });
const end = (description: string) =>
  Type.Optional(nullable(Type.String({ format: "date-time", description })));

/** How an account may read a feed. */
const terms = {
  is_free: Type.Optional(
    Type.Boolean({ description: "Whether reads are free for the account. Default false." }),
  ),
  expires_at: end("When the grant expires. Null or omitted: never."),
  note: Type.Optional(nullable(message("A private note, visible only to your account."))),
};
const termsShown = {
  is_free: Type.Boolean({ description: "Whether reads are free for the account." }),
  expires_at: nullable(time("When the grant expires. Null: never.")),
};
const note = nullable(Type.String({ description: "The provider's note." }));

export const ReaderShape = Type.Object(
  {
    account_id: uuid("The account that may read the feed."),
    account_name: Type.String({ description: "Its name." }),
    ...termsShown,
    note,
    granted_at: time("When it was granted."),
  },
  { $id: "FeedReader", description: "An account with access to a feed." },
);
export type Reader = Static<typeof ReaderShape>;

export const ReadersShape = Type.Object(
  {
    readers: Type.Array(ReaderShape, { description: "Newest first." }),
    ...pageMembers,
  },
  { $id: "FeedReaders", description: "A page of the accounts with access to a feed." },
);
export type Readers = Static<typeof ReadersShape>;

export const SetReaderInput = Type.Object(terms);

export const AccessRequestsShape = Type.Object(
  {
    requests: Type.Array(AccessRequestShape, { description: "Newest first." }),
    ...pageMembers,
  },
  { $id: "AccessRequests", description: "A page of access requests." },
);
export type AccessRequests = Static<typeof AccessRequestsShape>;

export const RequestAccessInput = Type.Object({
  message: Type.Optional(message("What you want the data for, shown to the provider.")),
});
export const ApproveAccessInput = Type.Object({
  is_free: terms.is_free,
  expires_at: terms.expires_at,
});
export const DeclineAccessInput = Type.Object({
  reason: Type.Optional(message("The reason, shown to the account that asked.")),
});

export const InviteReaderInput = Type.Object({
  address: text({ minLength: 3, maxLength: 254, description: "The email address to invite." }),
  ...terms,
});
export const ReaderInvitationShape = Type.Object(
  {
    id: uuid("Of the invitation."),
    address: Type.String({
      description: "The invited email address.",
    }),
    ...termsShown,
    note,
    ends_at: time("When the invitation expires."),
  },
  { $id: "ReaderInvitation", description: "An invitation of an address to read a feed." },
);
export type ReaderInvitation = Static<typeof ReaderInvitationShape>;
export const ReaderInvitationsShape = Type.Object(
  {
    invitations: Type.Array(ReaderInvitationShape, {
      description: "Invitations that can be accepted, oldest first.",
    }),
  },
  { $id: "ReaderInvitations", description: "The open invitations to read a feed." },
);

/**
 * The answer to an operator when something can't be done. The code is for programs. The message is for people, and says
 * what to do next if that is the same in every interface. The command line adds how to list the available entries.
 *
 * @module
 */

/** Every reason for which an operator's act is refused. */
export type RefusalCode =
  /** Nothing has this id, name, beginning or slug. */
  | "ACCOUNT_NOT_FOUND"
  | "KEY_NOT_FOUND"
  | "FEED_NOT_FOUND"
  | "PROMOTION_NOT_FOUND"
  | "USAGE_NOT_FOUND"
  | "TOPUP_NOT_FOUND"
  | "PAYOUT_NOT_FOUND"
  | "PERSON_NOT_FOUND"
  | "MEMBER_NOT_FOUND"
  | "INVITATION_NOT_FOUND"
  | "WEBHOOK_NOT_FOUND"
  | "DELIVERY_NOT_FOUND"
  /** The account is suspended, so nobody can sign in as it. */
  | "ACCOUNT_SUSPENDED"
  | "ACCOUNT_CLOSED"
  /** Earnings are owed to the account. */
  | "ACCOUNT_OWED"
  /** It takes an owner of the account. */
  | "OWNER_REQUIRED"
  /** Members would be left without an owner. */
  | "LAST_OWNER"
  | "MEMBER_EXISTS"
  | "INVITATIONS_LIMIT"
  /** The account has as many keys as its owners may make. */
  | "KEYS_LIMIT"
  | "WEBHOOKS_LIMIT"
  /** Keys with this permission can't receive this type of notice. */
  | "NOTICE_TYPE_FORBIDDEN"
  | "WEBHOOK_URL_INVALID"
  | "ADDRESS_INVALID"
  /** The cursor was not issued for this list. */
  | "CURSOR_INVALID"
  /** Several things have it. */
  | "REFERENCE_AMBIGUOUS"
  /** A ledger entry of other content has the reference. */
  | "REFERENCE_TAKEN"
  | "BALANCE_TOO_LARGE"
  | "BALANCE_TOO_LOW"
  | "PROMOTION_TAKEN"
  | "PROMOTION_REDEEMED"
  | "PROMOTION_EXPIRED"
  | "PROMOTION_EXHAUSTED"
  | "FEED_NOT_FOR_SALE"
  | "PURCHASE_EXISTS"
  | "PURCHASE_NOT_FOUND"
  | "NOTHING_CHARGED"
  /** A payout of more than the provider is owed, which may be a mistake. */
  | "PAYOUT_ABOVE_OWED"
  | "KEY_NOT_USABLE"
  /** A budget or a list of feeds was set on a key that can't read. */
  | "KEY_NOT_FOR_READING"
  /** It is an operator's own, and the face may not change it. */
  | "ADMIN_KEY_BY_COMMAND"
  | "FEED_DELETED"
  /** It would have to be unpublished first. */
  | "FEED_LISTED"
  /** A range that ends before it begins, or is too long. */
  | "RANGE_INVALID"
  /** The database took too long. */
  | "REPORT_TOO_LONG";

/** An operator's act that was refused. Nothing has changed. */
export class Refused extends Error {
  override readonly name = "Refused";

  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
  }
}

/** The refusal, for a caller that shows it beside what was found. @throws whatever else it is */
export function refusedOf(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}

/**
 * An outgoing mail, and the interface of its two deliveries: to an SMTP server, or into a folder.
 *
 * @module
 */

/** What a template returns. */
export interface MailContent {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** A whole document, without remote content. */
  readonly html: string;
}

export interface OutgoingMail extends MailContent {
  /** Also makes the Message-ID, so that a reader's program recognizes a mail that was sent twice. */
  readonly mailId: string;
  /** As by `parseMailAddress`. */
  readonly address: string;
  /** Where the reader's program unsubscribes it by one click (RFC 8058). Null if the mail is not one of a series. */
  readonly unsubscribeUrl?: string | null;
}

export interface Delivery {
  /**
   * Resolves with the answer once the mail is accepted. Takes less than `DELIVERY_MS_MAX`.
   *
   * @throws {DeliveryError}
   */
  deliver(mail: OutgoingMail): Promise<string>;
}

/** Why a mail was not accepted, in one sentence without password, code, or address. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  /** Whether another attempt would also be refused. */
  readonly isPermanent: boolean;

  constructor(
    message: string,
    { isPermanent, cause }: { readonly isPermanent: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause });
    this.isPermanent = isPermanent;
  }
}

/** The time for one attempt, from the connection to the server's answer, in ms. */
export const DELIVERY_MS_MAX = 30_000;

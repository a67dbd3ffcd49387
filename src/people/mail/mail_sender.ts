/**
 * Sends queued mails, a few at a time, until none is due.
 *
 * Any number of processes may do so: a mail is claimed for longer than an attempt takes, so no two send it at the same
 * time. It is removed once a server has accepted it. If the process dies in between, it is sent again, with the same
 * Message-ID.
 *
 * An attempt that fails is repeated at growing intervals until the mail expires. A mail that the server refuses
 * permanently stays with the reason until then, but is not tried again.
 *
 * @module
 */
import type { MailConfig } from "../../config.ts";
import { messageOf } from "../../lib/error_fields.ts";
import type { Log } from "../../lib/log.ts";
import { parseMailAddress } from "../../lib/mail_address.ts";
import { intervalOf } from "../../lib/time_units.ts";
import type { Database, Row } from "../../postgres/client/database.ts";
import { openDelivery } from "./open_delivery.ts";
import {
  DELIVERY_MS_MAX,
  type Delivery,
  DeliveryError,
  type OutgoingMail,
} from "./outgoing_mail.ts";

/** How an attempt to send a mail, or its time in the queue, has ended. */
export type MailOutcome = "sent" | "postponed" | "refused" | "expired";

interface MailSenderOptions {
  readonly config: MailConfig;
  readonly database: Database;
  readonly log: Log;
  /** Called for each mail that was sent. The demo prints its subject. */
  readonly onSent?: ((mail: OutgoingMail) => void) | undefined;
}

/** Mails that one process sends at the same time, so that a slow recipient delays few others. */
const SENDING_MAX = 4;
/** How long a process has exclusive use of a mail. */
const LEASE_MS = 2 * DELIVERY_MS_MAX;
/** Pauses after the first attempts. After each further attempt, the pause is the last one. */
const PAUSES_MS = [10_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000] as const;
const EXPIRED_ROWS_MAX = 1_000;

export class MailSender {
  readonly #options: MailSenderOptions;
  readonly #sending = new Set<Promise<void>>();
  readonly #counts = new Map<MailOutcome, number>();
  #delivery: Promise<Delivery> | undefined;
  /** Grows with each report of new mails. */
  #wakes = 0;
  #isStopped = false;

  constructor(options: MailSenderOptions) {
    this.#options = options;
    for (const outcome of ["sent", "postponed", "refused", "expired"] as const) {
      this.#counts.set(outcome, 0);
    }
  }

  /** Since the start. */
  get counts(): ReadonlyMap<MailOutcome, number> {
    return this.#counts;
  }

  /**
   * Reports that there may be due mails, and returns immediately. They are sent in the background.
   *
   * @param now RFC 3339. @default the database's clock
   */
  wake(now?: string): void {
    this.#wakes += 1;
    this.#sendMore(now);
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** Removes a bounded number of expired mails. Returns true if more are left. */
  async removeExpired(now?: string): Promise<boolean> {
    const removed = await this.#options.database.rows("remove_expired_mails", {
      moment: now ?? null,
      limit: BigInt(EXPIRED_ROWS_MAX),
    });
    // A refused one has been counted.
    const expired = removed.filter((mail) => !mail.is_refused).length;
    if (expired > 0) this.#options.log.warn("emails expired before they were sent", { expired });
    this.#count("expired", expired);
    return removed.length === EXPIRED_ROWS_MAX;
  }

  /** Claims no more mails. Resolves when those that are being sent have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.idle();
  }

  /** Starts another loop, unless there are enough. */
  #sendMore(now: string | undefined): void {
    if (this.#isStopped || this.#sending.size >= SENDING_MAX) return;
    const sending = this.#sendDue(now)
      .catch((error) =>
        this.#options.log.warn("the queue of emails could not be read or updated", { error }),
      )
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #sendDue(now: string | undefined): Promise<void> {
    while (!this.#isStopped) {
      const seen = this.#wakes;
      const [mail] = await this.#options.database.rows("claim_mails", {
        moment: now ?? null,
        lease: intervalOf(LEASE_MS),
        limit: 1n,
      });
      if (mail !== undefined) {
        this.#sendMore(now);
        await this.#send(mail, now);
      } else if (seen === this.#wakes) return;
      // Else a mail may have been queued after the statement.
    }
  }

  async #send(claimed: Row<"claim_mails">, now: string | undefined): Promise<void> {
    const { database, log, onSent } = this.#options;
    const mail = {
      mailId: claimed.mail_id,
      address: claimed.address,
      subject: claimed.subject,
      text: claimed.body_text,
      html: claimed.body_html,
      unsubscribeUrl: claimed.unsubscribe_url,
    };
    try {
      await this.#deliver(mail);
    } catch (error) {
      const isPermanent = error instanceof DeliveryError && error.isPermanent;
      const reason = messageOf(error);
      const { mail_id: mailId, attempts } = claimed;
      this.#count(isPermanent ? "refused" : "postponed");
      log.warn(isPermanent ? "an email was refused" : "an email could not be sent yet", {
        ...{ mail_id: mailId, attempts, reason },
      });
      const pauseMs = PAUSES_MS[attempts - 1] ?? PAUSES_MS.at(-1) ?? 0;
      const dueIn = isPermanent ? null : intervalOf(pauseMs);
      const postponed = { mail_id: mailId, attempts, due_in: dueIn, error: reason };
      await database.row("postpone_mail", { ...postponed, moment: now ?? null });
      return;
    }
    this.#count("sent");
    log.debug("email sent", { mail_id: mail.mailId });
    await database.row("forget_mail", { mail_id: mail.mailId });
    onSent?.(mail);
  }

  async #deliver(mail: OutgoingMail): Promise<void> {
    // An address that is not checked could add recipients.
    if (parseMailAddress(mail.address)?.address !== mail.address) {
      throw new DeliveryError("the address is not valid", { isPermanent: true });
    }
    this.#delivery ??= openDelivery(this.#options.config);
    const delivery = await this.#delivery;
    await delivery.deliver(mail);
  }

  #count(outcome: MailOutcome, amount = 1): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + amount);
  }
}

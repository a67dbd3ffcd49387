/**
 * Emails of notices to members: one per notice, or a daily digest. Each contains a one-click link (RFC 8058) that stops
 * emails of its kind without signing in.
 *
 * Any number of processes may queue them. The statement that queues an email also removes its notices from the pending
 * ones, so each is queued once.
 *
 * @module
 */
import { openToken, sealToken } from "../lib/sealed_token.ts";
import type { MailSender } from "../people/mail/mail_sender.ts";
import { noticeMail } from "../people/mail/templates.tsx";
import type { Database } from "../postgres/client/database.ts";
import { sentenceOf } from "./notice_words.ts";

interface NoticeMailsOptions {
  readonly database: Database;
  readonly sender: Pick<MailSender, "wake">;
  /** Seals the links. */
  readonly secret: string;
  readonly baseUrl: () => string;
}

/** Mails that one step queues. */
const MAILS_MAX = 100;
/** Notices that one digest takes, and how many of them it shows. */
const DIGEST_MAX = 500;
const DIGEST_SHOWN_MAX = 100;
const LIFETIME = "1 day";
const PURPOSE = "unsubscribe link";
const BINDING = "mail";

export class NoticeMails {
  readonly #options: NoticeMailsOptions;

  constructor(options: NoticeMailsOptions) {
    this.#options = options;
  }

  /** Queues due mails. Returns true if more may be left. @param now RFC 3339. @default the database's clock */
  async queueDue(now?: string): Promise<boolean> {
    const { database, sender, secret, baseUrl } = this.#options;
    for (let mails = 0; mails < MAILS_MAX; mails += 1) {
      const rows = await database.rows("list_due_notice_mails", {
        moment: now ?? null,
        limit: BigInt(DIGEST_MAX),
      });
      const [first] = rows;
      if (first === undefined) return false;
      const { account_id: accountId, person_id: personId } = first;
      const types = [...new Set(rows.map(({ type }) => type))];
      const token = sealToken(
        Buffer.from(JSON.stringify([accountId, personId, ...types])),
        bindingOf(secret),
      );
      const unsubscribeUrl = `${baseUrl()}/unsubscribe/${token}`;
      const sentences = rows
        .slice(0, DIGEST_SHOWN_MAX)
        .map(({ type, data }) => sentenceOf(type, JSON.parse(data)));
      const content = noticeMail({
        accountName: first.account_name,
        sentences,
        others: rows.length - sentences.length,
        isDigest: first.choice === "daily",
        consoleUrl: `${baseUrl()}/console`,
        unsubscribeUrl,
      });
      await database.row("queue_notice_mail", {
        account_id: accountId,
        person_id: personId,
        notice_ids: rows.map(({ notice_id: id }) => id),
        address: first.address,
        subject: content.subject,
        body_text: content.text,
        body_html: content.html,
        unsubscribe_url: unsubscribeUrl,
        lifetime: LIFETIME,
      });
      sender.wake();
    }
    return true;
  }
}

interface Stopping {
  readonly database: Database;
  readonly secret: string;
}

/** Stops mails of the kinds in a link. Returns false if the gateway has not made it, or the person is no member. */
export async function stopMails({ database, secret }: Stopping, token: string): Promise<boolean> {
  const payload = openToken(token, bindingOf(secret));
  if (payload === undefined) return false;
  const [accountId = "", personId = "", ...types]: string[] = JSON.parse(payload.toString());
  const stopped = await database.rows("set_mail_choices", {
    account_id: accountId,
    person_id: personId,
    types,
    choice: "never",
  });
  return stopped.length > 0;
}

function bindingOf(secret: string) {
  return { secret, purpose: PURPOSE, binding: BINDING };
}

/**
 * The background job that retries failed attempts, and sends mails that no process was woken for, such as those of a
 * process that died.
 *
 * @module
 */
import type { MailSender } from "./mail_sender.ts";

const EVERY_MS = 5_000;

/** A `Job` of `jobs/jobs.ts`. It never waits for a mail server. */
export function sendMails(sender: MailSender) {
  return {
    name: "mails",
    everyMs: EVERY_MS,
    isPrompt: true,
    async step() {
      const isMore = await sender.removeExpired();
      sender.wake();
      return isMore;
    },
  };
}

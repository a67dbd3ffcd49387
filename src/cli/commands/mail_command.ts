/**
 * `mail test`: sends one mail with the configured settings, and reports what the server answered.
 *
 * @module
 */
import { parseMailAddress } from "../../lib/mail_address.ts";
import { openDelivery } from "../../people/mail/open_delivery.ts";
import { DeliveryError } from "../../people/mail/outgoing_mail.ts";
import { testMail } from "../../people/mail/templates.tsx";
import { defineCommand, RefusedError, UsageError } from "../command.ts";

/** The command `mail test`. */
export const mailTest = defineCommand({
  words: "mail test",
  argument: "ADDRESS",
  about: "send a test email, to check FEEDGATE_SMTP_URL and FEEDGATE_MAIL_FROM",
  needsNoDatabase: true,
  options: {},
  run: async ({ config, argument }) => {
    const parsed = parseMailAddress(argument);
    if (parsed === undefined) {
      throw new UsageError("ADDRESS must be an email address such as ada@example.com");
    }
    if (config.mail === undefined) {
      throw new RefusedError(
        "mail is not configured: set FEEDGATE_SMTP_URL and FEEDGATE_MAIL_FROM",
      );
    }
    const { address } = parsed;
    const delivery = await openDelivery(config.mail);
    try {
      const answer = await delivery.deliver({
        ...testMail(),
        mailId: crypto.randomUUID(),
        address,
      });
      return {
        json: JSON.stringify({ address, answer }),
        text: `The mail server accepted the message to ${address}: ${answer}`,
      };
    } catch (error) {
      if (error instanceof DeliveryError) throw new RefusedError(error.message);
      throw error;
    }
  },
});

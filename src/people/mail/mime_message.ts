/**
 * The headers and parts of every mail, as nodemailer takes them.
 *
 * Only the configuration determines the sender. Each mail is marked as automatic (RFC 3834), so that out-of-office
 * assistants do not reply to it.
 *
 * @module
 */
import type { SendMailOptions } from "nodemailer";
import type { MailFrom } from "../../config.ts";
import type { OutgoingMail } from "./outgoing_mail.ts";

export function mimeMessage(from: MailFrom, mail: OutgoingMail): SendMailOptions {
  const { mailId, address, subject, text, html, unsubscribeUrl = null } = mail;
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  return {
    from: { name: from.name, address: from.address },
    to: { name: "", address },
    envelope: { from: from.address, to: [address] },
    subject,
    text,
    html,
    messageId: `<${mailId}@${domain}>`,
    headers: {
      "Auto-Submitted": "auto-generated",
      ...(unsubscribeUrl !== null && {
        "List-Unsubscribe": `<${unsubscribeUrl}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      }),
    },
    // The parts are texts, never names of files or addresses to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

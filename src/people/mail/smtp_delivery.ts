/**
 * Delivery to an SMTP server, with one connection for each mail.
 *
 * `smtps://` encrypts from the start and always checks the certificate. `smtp://` encrypts by STARTTLS if the server
 * offers it. On another machine, the certificate is then checked, and a password is never sent unencrypted.
 *
 * @module
 */
import { isIPv6 } from "node:net";
import { createTransport, type NodemailerError, type SMTPTransportOptions } from "nodemailer";
import type { SmtpConfig } from "../../config.ts";
import { escapeInvisible } from "../../lib/invisible_text.ts";
import { mimeMessage } from "./mime_message.ts";
import {
  DELIVERY_MS_MAX,
  type Delivery,
  DeliveryError,
  type OutgoingMail,
} from "./outgoing_mail.ts";

/** For a connection, for its greeting, and between two answers. */
const ANSWER_MS_MAX = 10_000;
const PORT = 587;
const PORT_OF_TLS = 465;
const OWN_MACHINE: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);
/** How much of a server's answer is kept, in UTF-16 units. */
const RESPONSE_LENGTH_MAX = 300;
/** A sign-in code, which a server could repeat from the mail. */
const CODE = /\b\d{4}[ -]?\d{4}\b/g;
/** Commands whose permanent refusal is about the mail. Any other may be about settings, which can be corrected. */
const ABOUT_MAIL: ReadonlySet<string> = new Set(["RCPT TO", "DATA"]);

export function createSmtpDelivery(config: SmtpConfig): Delivery {
  const { from, trial } = config;
  const options = transportOptions(config);
  const server = `${isIPv6(options.host ?? "") ? `[${options.host}]` : options.host}:${options.port}`;
  const timeoutMs = trial?.deliveryMsMax ?? DELIVERY_MS_MAX;
  const transport = createTransport(options);
  return {
    async deliver(mail) {
      try {
        const sent = await transport.sendMail({
          ...mimeMessage(from, mail),
          signal: AbortSignal.timeout(timeoutMs),
        });
        return withoutSecrets(String(sent.response), mail);
      } catch (error) {
        throw deliveryError(error as NodemailerError, { server, mail });
      }
    },
  };
}

function transportOptions({ smtpUrl, trial }: SmtpConfig): SMTPTransportOptions {
  const url = new URL(smtpUrl);
  const isSecure = url.protocol === "smtps:";
  const host = decodeURIComponent(url.hostname)
    .replace(/^\[|\]$/g, "")
    .toLowerCase();
  const isOwnMachine = OWN_MACHINE.has(host);
  const timeoutMs = trial?.answerMsMax ?? ANSWER_MS_MAX;
  const hasLogin = url.username !== "";
  return {
    host,
    port: url.port === "" ? (isSecure ? PORT_OF_TLS : PORT) : Number(url.port),
    secure: isSecure,
    requireTLS: !isSecure && hasLogin && !isOwnMachine,
    ...(hasLogin && {
      auth: {
        user: decodeURIComponent(url.username),
        pass: decodeURIComponent(url.password),
      },
    }),
    tls: {
      minVersion: "TLSv1.2",
      // A mail server on this machine often has a certificate for another name, and nobody is in between.
      rejectUnauthorized: isSecure || !isOwnMachine,
      ...(trial?.certificate !== undefined && { ca: trial.certificate }),
    },
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    socketCloseTimeout: 0,
    pool: false,
    logger: false,
  };
}

interface Failed {
  readonly server: string;
  readonly mail: OutgoingMail;
}

function deliveryError(error: NodemailerError, { server, mail }: Failed): DeliveryError {
  const isPermanent = error.permanent === true && ABOUT_MAIL.has(error.command ?? "");
  const sentence = withoutSecrets(sentenceOf(error, server), mail);
  return new DeliveryError(sentence, { isPermanent });
}

/** What happened, with the server's own words if it said any. */
function sentenceOf(error: NodemailerError, server: string): string {
  const { code = "", command, message } = error;
  const answer = error.response ?? message;
  switch (code) {
    case "EABORT":
    case "ETIMEDOUT":
      return `${server} did not respond in time`;
    case "EDNS":
      return `${server} can't be found: ${error.originalCode ?? message}`;
    case "EAUTH":
      return `${server} refused the user or the password: ${answer}`;
    case "ETLS":
      return `no encrypted connection to ${server}: ${answer}`;
    case "EENVELOPE":
      if (command === "MAIL FROM") return `${server} refused the sender: ${answer}`;
      return `${server} refused the recipient: ${answer}`;
    case "EMESSAGE":
      return `${server} refused the message: ${answer}`;
    case "ESOCKET":
    case "ECONNECTION":
      if (error.originalCode === "ECONNREFUSED") return `${server} accepts no connections`;
      return `the connection to ${server} failed: ${answer}`;
    default:
      return `${server} did not accept the message: ${answer}`;
  }
}

/** One short line without the mail's address, and without its code. */
function withoutSecrets(text: string, { address }: OutgoingMail): string {
  const line = text.trim().replace(/\s+/g, " ");
  const anonymous = line.replaceAll(new RegExp(RegExp.escape(address), "gi"), "…");
  return escapeInvisible(anonymous.replace(CODE, "…")).slice(0, RESPONSE_LENGTH_MAX);
}

/** @jsxImportSource preact */
/**
 * The texts of the gateway's mails, each as plain text and as HTML that looks like the pages.
 *
 * The HTML has no remote content, and no link in a mail signs anybody in. Names of accounts and people are untrusted
 * text: they are shortened to one visible line.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { hasAtMost } from "../../lib/code_points.ts";
import { withoutInvisible } from "../../lib/invisible_text.ts";
import type { MailContent } from "./outgoing_mail.ts";

interface CodeMail {
  /** Eight digits. */
  readonly code: string;
  /** How long the code is valid. */
  readonly minutes: number;
  readonly gateway: { readonly baseUrl: string; readonly name: string };
}

interface InvitationMail {
  readonly accountName: string;
  readonly role: "owner" | "member";
  readonly signInUrl: string;
  /** How long the invitation is valid. */
  readonly days: number;
}

/** In code points. */
const NAME_LENGTH_MAX = 60;
const CODE_GROUP_LENGTH = 4;

const MAY: Readonly<Record<InvitationMail["role"], string>> = {
  owner: "As an owner, you can manage its keys, members, credits, and feeds.",
  member: "As a member, you can view everything in it and edit its feeds.",
};

/** A sign-in code. The subject contains it, so that a notification shows it. */
export function codeMail({ code, minutes, gateway }: CodeMail): MailContent {
  const name = oneLine(gateway.name) || "Feedgate";
  const subject = `Your sign-in code is ${code}`;
  const use = `Enter it in the browser where you asked for it. It expires in ${count(minutes, "minute")} and works once.`;
  const warning =
    "If you didn't try to sign in, ignore this message. Don't share the code. We will never ask you for it.";
  return {
    subject,
    text: paragraphs([`Your sign-in code for ${name} (${gateway.baseUrl}):`, code, use, warning]),
    html: mailDocument(
      subject,
      <>
        <P>
          Your sign-in code for{" "}
          <a {...styled("link")} href={gateway.baseUrl}>
            {name}
          </a>
          :
        </P>
        <p {...styled("code")}>
          {/* Spaced by a margin, so that a copy has only digits. */}
          <span>{code.slice(0, CODE_GROUP_LENGTH)}</span>
          <span style="margin-left:0.4em">{code.slice(CODE_GROUP_LENGTH)}</span>
        </p>
        <P>{use}</P>
        <P isSoft>{warning}</P>
      </>,
    ),
  };
}

/** An invitation to an account. The reader signs in by other means, and accepts there. */
export function invitationMail(invitation: InvitationMail): MailContent {
  const { role, signInUrl, days } = invitation;
  const account = oneLine(invitation.accountName) || "an unnamed account";
  const subject = `Invitation to ${account}`;
  const invited = "You have been invited to join this account:";
  const how = `To accept, sign in with this email address within ${count(days, "day")}:`;
  const warning = "If you weren't expecting this invitation, ignore this message.";
  return {
    subject,
    text: paragraphs([invited, account, MAY[role], how, signInUrl, warning]),
    html: mailDocument(
      subject,
      <>
        <P>{invited}</P>
        <p {...styled("name")}>{account}</p>
        <P>{MAY[role]}</P>
        <P>{how}</P>
        <p style="margin:20px 0">
          <a {...styled("button")} href={signInUrl}>
            Sign in
          </a>
        </p>
        <P isSoft>{signInUrl}</P>
        <P isSoft>{warning}</P>
      </>,
    ),
  };
}

export interface NoticeMail {
  readonly accountName: string;
  /** Sentences about what happened, the oldest first. They may contain untrusted names. */
  readonly sentences: readonly string[];
  /** How many more there are. */
  readonly others: number;
  readonly isDigest: boolean;
  readonly consoleUrl: string;
  readonly unsubscribeUrl: string;
}

/** What has happened to an account, at once or as a digest. */
export function noticeMail(mail: NoticeMail): MailContent {
  const { sentences, others, isDigest, consoleUrl, unsubscribeUrl } = mail;
  const account = oneLine(mail.accountName) || "an unnamed account";
  const lines = sentences.map((sentence) => cleaned(sentence));
  const [first = ""] = lines;
  const amount = count(lines.length + others, "notice");
  const subject = isDigest ? `${amount} for ${account}` : first.replace(/\.$/, "");
  const about = `This is about the account ${account}.`;
  const more = others > 0 ? [`There are ${others} more.`] : [];
  const unsubscribe = isDigest ? "Stop these messages" : "Stop messages of this kind";
  return {
    subject,
    text: paragraphs([
      ...(isDigest ? lines.map((line) => `- ${line}`) : lines),
      ...more,
      about,
      consoleUrl,
      `${unsubscribe}: ${unsubscribeUrl}`,
    ]),
    html: mailDocument(
      subject,
      <>
        {lines.map((line) => (
          <P>{line}</P>
        ))}
        {more.map((line) => (
          <P>{line}</P>
        ))}
        <P isSoft>{about}</P>
        <p style="margin:20px 0">
          <a {...styled("button")} href={consoleUrl}>
            Open the console
          </a>
        </p>
        <P isSoft>
          <a {...styled("link")} href={unsubscribeUrl}>
            {unsubscribe}
          </a>
        </P>
      </>,
    ),
  };
}

interface ReaderInvitationMail {
  readonly feedName: string;
  readonly providerName: string;
  readonly signInUrl: string;
  readonly days: number;
}

/** Invites an address to read a feed that is not open to all. */
export function readerInvitationMail(invitation: ReaderInvitationMail): MailContent {
  const { signInUrl, days } = invitation;
  const feed = oneLine(invitation.feedName) || "an unnamed feed";
  const provider = oneLine(invitation.providerName) || "A provider";
  const subject = `Invitation to read ${feed}`;
  const invited = `${provider} has invited you to read this feed:`;
  const how = `To accept, sign in with this email address within ${count(days, "day")}. The account that you sign in to can then read the feed:`;
  const warning = "If you weren't expecting this invitation, ignore this message.";
  return {
    subject,
    text: paragraphs([invited, feed, how, signInUrl, warning]),
    html: mailDocument(
      subject,
      <>
        <P>{invited}</P>
        <p {...styled("name")}>{feed}</p>
        <P>{how}</P>
        <p style="margin:20px 0">
          <a {...styled("button")} href={signInUrl}>
            Sign in
          </a>
        </p>
        <P isSoft>{signInUrl}</P>
        <P isSoft>{warning}</P>
      </>,
    ),
  };
}

/** For `feedgate mail test`. */
export function testMail(): MailContent {
  const subject = "Test message from Feedgate";
  const text =
    "This message was sent by the command feedgate mail test. If you can read it, the mail settings work.";
  return { subject, text: paragraphs([text]), html: mailDocument(subject, <P>{text}</P>) };
}

/** Colors of the pages (`pages/layout/styles.css`): light in `style`, dark by class. */
const STYLES = {
  ground:
    "margin:0;padding:24px 16px;background:#fbfbf9;color:#1c2126;font:15px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif",
  card: "max-width:520px;margin:0 auto;padding:20px 24px;background:#ffffff;border:1px solid #e2e5e1;border-radius:8px",
  text: "margin:12px 0;overflow-wrap:anywhere",
  soft: "margin:12px 0;overflow-wrap:anywhere;color:#5a636d;font-size:13px",
  name: "margin:12px 0;overflow-wrap:anywhere;font-size:18px;font-weight:600",
  code: "margin:16px 0;padding:14px 16px;background:#f1f3ef;border-radius:6px;text-align:center;font:600 32px/1.2 ui-monospace,'SF Mono','Cascadia Mono','DejaVu Sans Mono',Menlo,Consolas,monospace;letter-spacing:0.06em",
  link: "color:#0b6a58",
  button:
    "display:inline-block;padding:9px 18px;background:#0b6a58;color:#ffffff;border-radius:6px;text-decoration:none;font-weight:600",
} as const;

const DARK = `@media (prefers-color-scheme: dark) {
.ground { background: #14181a !important; color: #e6e9ea !important; }
.card { background: #1b2023 !important; border-color: #2f373b !important; }
.soft { color: #9ba5ad !important; }
.code { background: #232a2d !important; }
.link { color: #5cc8b0 !important; }
.button { background: #5cc8b0 !important; color: #0c1a17 !important; }
}`;

function styled(name: keyof typeof STYLES) {
  return { class: name, style: STYLES[name] };
}

function P({ isSoft = false, children }: { isSoft?: boolean; children: ComponentChildren }) {
  return <p {...styled(isSoft ? "soft" : "text")}>{children}</p>;
}

function mailDocument(title: string, children: ComponentChildren): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{title}</title>
        <style>{DARK}</style>
      </head>
      <body {...styled("ground")}>
        <div {...styled("card")}>{children}</div>
      </body>
    </html>
  );
  return `<!doctype html>\n${renderToString(page)}\n`;
}

function paragraphs(texts: readonly string[]): string {
  return `${texts.join("\n\n")}\n`;
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}

/** Text of any length on one line, without invisible characters. */
function cleaned(text: string): string {
  return withoutInvisible(text.replace(/\s+/g, " ")).trim();
}

/** Untrusted text as part of one line. "" if nothing of it is visible. */
function oneLine(text: string): string {
  const line = cleaned(text);
  if (hasAtMost(line, NAME_LENGTH_MAX)) return line;
  return `${[...line].slice(0, NAME_LENGTH_MAX).join("").trimEnd()}…`;
}

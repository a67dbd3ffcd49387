import { describe, expect, test } from "bun:test";
import { codeMail, invitationMail, testMail } from "../../../src/people/mail/templates.tsx";

const GATEWAY = { baseUrl: "https://feeds.example.com", name: "Example Feeds" };
const INVITATION = {
  accountName: "Weather Ltd.",
  role: "owner",
  signInUrl: "https://feeds.example.com/console/sign-in",
  days: 7,
} as const;

const all = [
  codeMail({ code: "12345678", minutes: 10, gateway: GATEWAY }),
  invitationMail(INVITATION),
  invitationMail({ ...INVITATION, role: "member" }),
  testMail(),
];

describe("mails", () => {
  test("have a subject in one line, a plain text in short paragraphs, and a whole document", () => {
    for (const { subject, text, html } of all) {
      expect(subject).not.toMatch(/[\r\n]/);
      expect(subject.length).toBeLessThan(100);
      expect(text).not.toMatch(/[<>]/);
      expect(html).toStartWith('<!doctype html>\n<html lang="en">');
      expect(html).toContain('<meta name="color-scheme" content="light dark"');
      expect(html).toContain("@media (prefers-color-scheme: dark)");
    }
  });

  test("load nothing, run nothing, and link to pages of the gateway only", () => {
    for (const { html } of all) {
      expect(html).not.toMatch(/\bsrc=|url\(|@import|<link|<script|<img|<form|\bon\w+=/i);
      for (const [, target] of html.matchAll(/href="([^"]*)"/g)) {
        expect([GATEWAY.baseUrl, INVITATION.signInUrl] as string[]).toContain(target as string);
      }
    }
  });

  test("every class that dark colors name is in the document's styles", () => {
    const used = new Set(
      all.flatMap(({ html }) => [...html.matchAll(/class="([^"]+)"/g)].map(([, name]) => name)),
    );
    const dark = [...(all[0]?.html ?? "").matchAll(/^\.(\w+) \{/gm)].map(([, name]) => name);
    expect(dark.filter((name) => !used.has(name))).toEqual([]);
  });
});

describe("codeMail", () => {
  const { subject, text, html } = codeMail({ code: "01234567", minutes: 10, gateway: GATEWAY });

  test("has the code in the subject, and alone in a line of the text", () => {
    expect(subject).toBe("Your sign-in code is 01234567");
    expect(text.split("\n")).toContain("01234567");
    expect(text).toContain("It expires in 10 minutes");
  });

  test("shows the code in two groups, whose copy has only digits", () => {
    const [, shown = ""] = /<p class="code"[^>]*>(.*?)<\/p>/.exec(html) ?? [];
    expect(shown).toMatch(/^<span>0123<\/span><span style="[^"]+">4567<\/span>$/);
    expect(shown.replace(/<[^>]*>/g, "")).toBe("01234567");
  });

  test("has no link that signs in", () => {
    expect(html).not.toMatch(/href="[^"]*01234567/);
  });
});

describe("invitationMail", () => {
  test("says to what it invites, what that allows, and where to accept", () => {
    const { subject, text, html } = invitationMail(INVITATION);
    expect(subject).toBe("Invitation to Weather Ltd.");
    expect(text).toStartWith(
      "You have been invited to join this account:\n\nWeather Ltd.\n\nAs an owner,",
    );
    expect(text).toContain("within 7 days");
    expect(text).toContain(`\n${INVITATION.signInUrl}\n`);
    expect(html).toContain(`href="${INVITATION.signInUrl}"`);
    expect(invitationMail({ ...INVITATION, days: 1 }).text).toContain("within 1 day:");
  });

  test("names are one visible line, escaped, and short", () => {
    const name = `<b>"A"</b>\r\nBcc: eve@example.net\u202e\u200b\u0000 & ${"é".repeat(1_000)}`;
    const { subject, text, html } = invitationMail({ ...INVITATION, accountName: name });
    const line = `${`<b>"A"</b> Bcc: eve@example.net & ${"é".repeat(60)}`.slice(0, 60)}…`;
    expect(subject).toBe(`Invitation to ${line}`);
    expect(text).toStartWith(`You have been invited to join this account:\n\n${line}\n\n`);
    expect(html).not.toContain("<b>");
    expect(html).toContain("&lt;b>");
    expect(`${subject}${text}${html}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  test("a name with nothing visible is left out", () => {
    const { subject, text } = invitationMail({ ...INVITATION, accountName: "\u200b \u2800\n" });
    expect(subject).toBe("Invitation to an unnamed account");
    expect(text).toStartWith("You have been invited to join this account:\n\nan unnamed account\n");
  });
});

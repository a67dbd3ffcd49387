/** @jsxImportSource preact */
/**
 * Notices of an account: its webhooks and their deliveries, and for members which notices they get as mail.
 *
 * The page makes the calls of the API with the session's key, so both allow the same.
 *
 * @module
 */
import { present } from "../../lib/assert.ts";
import { LOW_BALANCE_NANOS } from "../../limits.ts";
import { creditsText, nanosOfCredits } from "../../money/money.ts";
import {
  MAIL_CHOICES,
  type MailChoice,
  readMailChoices,
  setMailChoice,
} from "../../notices/mail_choices.ts";
import { NOTICE_TYPES, type NoticeTypeName, typesOf } from "../../notices/notice_types.ts";
import type { DeliveryOutcome, WebhookOutcome } from "../../notices/webhook_shapes.ts";
import { Table, Text, Time } from "../layout/parts.tsx";
import { ActForm } from "./act_form.tsx";
import { refusalOf } from "./refusal_messages.ts";
import { showOnce } from "./show_once.tsx";
import type { Acted, Form, PageRoute, Visit } from "./visit.ts";

const CHOICE_NAMES: Readonly<Record<MailChoice, string>> = {
  at_once: "at once",
  daily: "once a day",
  never: "never",
};
const SECRET_NOTE =
  "This secret verifies the notices. It is shown only now: store it where your receiver finds it.";

/** The page for addresses of one permission. Both have the member's mails. */
function noticesPage(path: string, permission: "read" | "write"): PageRoute {
  const to = path;
  return {
    path,
    async show(visit, form) {
      const listed = await visit.ask<{ webhooks: readonly WebhookOutcome[] }>("/v1/webhooks");
      const webhooks = listed.kind === "done" ? listed.body.webhooks : [];
      const shown = webhooks.find(({ id }) => id === visit.query.get("webhook"));
      return {
        title: "Notices",
        content: (
          <>
            <h1>Notices</h1>
            <p class="lead">
              {permission === "read"
                ? "What happens to feeds that you read, and to your balance."
                : "What happens to the feeds that you publish."}
            </p>
            <h2>Webhooks</h2>
            <Table
              label="Webhooks"
              rows={webhooks}
              columns={[
                {
                  head: "Address",
                  cell: (row) => (
                    <a href={`?webhook=${row.id}`}>
                      <Text of={row.url} />
                    </a>
                  ),
                },
                { head: "Types", cell: (row) => row.types.join(", ") },
                { head: "State", cell: stateOf },
                { head: "Change", cell: (row) => <WebhookButtons of={row} /> },
              ]}
              empty="None yet."
            />
            <ActForm
              form={form}
              isTall
              fields={[
                { name: "url", label: "Address", isRequired: true, hint: "https://…" },
                {
                  name: "types",
                  label: "Types",
                  isRequired: true,
                  hint: `Separated by commas: ${typesOf(permission).join(", ")}`,
                },
              ]}
              buttons={[{ act: "name", text: "Add a webhook" }]}
            />
            {shown !== undefined && (
              <Deliveries of={shown} rows={await deliveriesOf(visit, shown)} />
            )}
            {visit.session.member !== undefined && (await mailChoices(visit))}
            {permission === "read" && (await threshold(visit, form))}
          </>
        ),
      };
    },
    acts: {
      name: {
        confirm: (form) => `Notices are sent to ${form.text("url")} from now on.`,
        async run(visit, form) {
          const types = form
            .text("types")
            .split(/[\s,]+/)
            .filter((type) => type !== "");
          const body = { url: form.text("url"), types };
          const made = await visit.ask<{ secret: string }>("/v1/webhooks", { body });
          if (made.kind === "refused") return refusalOf(made);
          return showOnce("The webhook's secret", made.body.secret, SECRET_NOTE);
        },
      },
      rotate: {
        confirm: () => "The webhook gets a new secret. For 24 hours, notices are signed with both.",
        async run(visit, form) {
          const asked = { method: "POST", body: {} } as const;
          const made = await visit.ask<{ secret: string }>(`${pathOf(form)}/rotate`, asked);
          if (made.kind === "refused") return refusalOf(made);
          return showOnce("The webhook's new secret", made.body.secret, SECRET_NOTE);
        },
      },
      test: {
        confirm: () => "A notice of type webhook.test is sent.",
        run: (visit, form) => asked(visit, `${pathOf(form)}/test`, { body: {} }, to),
      },
      resume: {
        confirm: () => "Notices are sent to this address again, from now on.",
        run: (visit, form) =>
          asked(visit, pathOf(form), { method: "PATCH", body: { is_active: true } }, to),
      },
      pause: {
        confirm: () => "Nothing more is sent to this address until you resume it.",
        run: (visit, form) =>
          asked(visit, pathOf(form), { method: "PATCH", body: { is_active: false } }, to),
      },
      remove: {
        confirm: () => "The address and the list of its deliveries are deleted.",
        run: (visit, form) => asked(visit, pathOf(form), { method: "DELETE" }, to),
      },
      resend: {
        confirm: () => "The notice is sent again, with the same id.",
        run: (visit, form) =>
          asked(
            visit,
            `/v1/webhooks/deliveries/${encodeURIComponent(form.text("delivery_id"))}/resend`,
            { body: {} },
            to,
          ),
      },
      mail: {
        confirm: (form) => `Mails of ${form.text("type")}: ${nameOf(form)}.`,
        async run(visit, form) {
          const { account, member } = visit.session;
          const whose = { accountId: present(account).id, personId: present(member).id };
          const type = Object.keys(NOTICE_TYPES).find((each) => each === form.text("type"));
          const choice = MAIL_CHOICES.find((each) => each === form.text("choice"));
          if (type === undefined || choice === undefined) {
            return { kind: "refused", why: "There is no such type, or no such choice." };
          }
          await setMailChoice(visit.operator.database, whose, {
            type: type as NoticeTypeName,
            choice,
          });
          return { kind: "go", to, done: "edited" };
        },
      },
      threshold: {
        confirm: (form) =>
          form.text("credits") === "0"
            ? "You are not told of a low balance any more."
            : `You are told once the balance is below ${form.text("credits")} credits.`,
        async run(visit, form) {
          const nanos = nanosOfCredits(form.text("credits"));
          if (nanos === undefined || nanos < 0n) {
            return { kind: "refused", why: "Type an amount of credits, or 0 for never." };
          }
          const accountId = accountOf(visit);
          await visit.operator.database.row("set_low_balance", {
            account_id: accountId,
            threshold_nanos: nanos,
          });
          return { kind: "go", to, done: "edited" };
        },
      },
    },
  };
}

export const CONSUMER_NOTICES = noticesPage("notices", "read");
export const PROVIDER_NOTICES = noticesPage("feed-notices", "write");

function stateOf({ is_active: isActive, switched_off: reason }: WebhookOutcome): string {
  if (isActive) return "active";
  if (reason === "gone") return "off: it answered 410";
  if (reason === "failing") return "off: it failed for three days";
  return reason === "key_ended" ? "off: its key has ended" : "paused";
}

function WebhookButtons({ of }: { readonly of: WebhookOutcome }) {
  return (
    <div class="row-acts">
      <ActForm
        hidden={{ webhook_id: of.id }}
        buttons={[
          { act: "test", text: "Test", tone: "quiet" },
          { act: "rotate", text: "Rotate the secret", tone: "quiet" },
          of.is_active
            ? { act: "pause", text: "Pause", tone: "quiet" }
            : { act: "resume", text: "Resume", tone: "quiet" },
          { act: "remove", text: "Delete", tone: "danger" },
        ]}
      />
    </div>
  );
}

async function deliveriesOf(visit: Visit, { id }: WebhookOutcome) {
  const listed = await visit.ask<{ deliveries: readonly DeliveryOutcome[] }>(
    `/v1/webhooks/${id}/deliveries`,
  );
  return listed.kind === "done" ? listed.body.deliveries : [];
}

interface DeliveriesProps {
  readonly of: WebhookOutcome;
  readonly rows: readonly DeliveryOutcome[];
}

function Deliveries({ of, rows }: DeliveriesProps) {
  return (
    <>
      <h2>
        Deliveries to <Text of={of.url} />
      </h2>
      <Table
        label="Deliveries"
        rows={rows}
        columns={[
          { head: "At", kind: "when", cell: (row) => <Time of={row.created_at} /> },
          { head: "Type", cell: (row) => row.type },
          { head: "Status", cell: (row) => row.status },
          { head: "Attempts", cell: (row) => String(row.attempts) },
          { head: "Code", cell: (row) => (row.code === null ? "" : String(row.code)) },
          { head: "Error", cell: (row) => <Text of={row.error ?? ""} /> },
          {
            head: "Again",
            cell: (row) => (
              <ActForm
                hidden={{ delivery_id: row.id }}
                buttons={[{ act: "resend", text: "Send again", tone: "quiet" }]}
              />
            ),
          },
        ]}
        empty="None in the last 30 days."
      />
    </>
  );
}

/** Which notices the member gets as mail. */
async function mailChoices(visit: Visit) {
  const { account, member } = visit.session;
  const whose = { accountId: present(account).id, personId: present(member).id };
  const choices = await readMailChoices(visit.operator.database, whose);
  return (
    <>
      <h2>Mails to you</h2>
      <Table
        label="Mails"
        rows={[...choices]}
        columns={[
          { head: "Type", cell: ([type]) => type },
          { head: "When", cell: ([type]) => NOTICE_TYPES[type].when },
          {
            head: "Mail",
            cell: ([type, choice]) => (
              <ActForm
                hidden={{ type }}
                fields={[
                  {
                    name: "choice",
                    label: `Mail of ${type}`,
                    choices: MAIL_CHOICES.map((each) => [each, CHOICE_NAMES[each]]),
                    value: choice,
                  },
                ]}
                buttons={[{ act: "mail", text: "Save", tone: "quiet" }]}
              />
            ),
          },
        ]}
        empty="None."
      />
    </>
  );
}

async function threshold(visit: Visit, form: Form | undefined) {
  const accountId = accountOf(visit);
  const found = await visit.operator.database.row("find_low_balance", { account_id: accountId });
  const value = creditsText(found?.threshold_nanos ?? BigInt(LOW_BALANCE_NANOS));
  return (
    <>
      <h2>Low balance</h2>
      <ActForm
        form={form}
        fields={[
          {
            name: "credits",
            label: "Tell me below (credits)",
            kind: "decimal",
            value,
            hint: "0 for never.",
            isRequired: true,
          },
        ]}
        buttons={[{ act: "threshold", text: "Save", tone: "quiet" }]}
      />
    </>
  );
}

function accountOf({ session }: Visit): string {
  return present(session.account).id;
}

function nameOf(form: Form): string {
  const choice = MAIL_CHOICES.find((each) => each === form.text("choice"));
  return choice === undefined ? "" : CHOICE_NAMES[choice];
}

function pathOf(form: Form): string {
  return `/v1/webhooks/${encodeURIComponent(form.text("webhook_id"))}`;
}

async function asked(
  visit: Visit,
  path: string,
  call: Parameters<Visit["ask"]>[1],
  to: string,
): Promise<Acted> {
  const answer = await visit.askText(path, call);
  return answer.kind === "refused" ? refusalOf(answer) : { kind: "go", to, done: "edited" };
}

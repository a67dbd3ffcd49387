/** @jsxImportSource preact */
/**
 * Notices of an account: its webhooks and their deliveries, and for members the notices that they receive by mail.
 *
 * Webhooks are those of the session's key, so the page allows exactly what the API allows.
 *
 * @module
 */
import type { TObject } from "@sinclair/typebox";
import { present } from "../../lib/assert.ts";
import { LOW_BALANCE_NANOS } from "../../limits.ts";
import { creditsNumber, creditsText, nanosOfCredits } from "../../money/money.ts";
import {
  MAIL_CHOICES,
  type MailChoice,
  MEMBER_TYPES,
  readMailChoices,
  setMailChoices,
} from "../../notices/mail_choices.ts";
import type { WebhookOutcome } from "../../notices/webhook_shapes.ts";
import {
  listDeliveries,
  listWebhooks,
  ownerByKey,
  type WebhookOwner,
} from "../../notices/webhooks.ts";
import { AMOUNT_NANOS_MAX } from "../../operator/common_shapes.ts";
import { digits, Text } from "../layout/parts.tsx";
import { ActForm } from "./act_form.tsx";
import { inputOf } from "./form_input.ts";
import { Next, nextOffset, offsetOf } from "./lists.tsx";
import type { Change, Form, PageRoute, Visit } from "./visit.ts";
import { type WebhookMaking, webhookActs } from "./webhook_acts.ts";
import { DeliveryTable, WebhookTable, webhookFields, whenOf } from "./webhook_parts.tsx";

const CHOICE_NAMES: Readonly<Record<MailChoice, string>> = {
  at_once: "immediately",
  daily: "daily",
  never: "never",
};
const DELIVERIES_LISTED = 20;
const MAIL_START = "mail.";

interface NoticesPage {
  readonly path: string;
  readonly permission: "read" | "write";
  readonly lead: string;
  /** The page of the other permission, for members, who have both. */
  readonly other: { readonly path: string; readonly text: string };
}

/** The page for addresses of one permission. Both have the member's mails. */
function noticesPage({ path: to, permission, lead, other }: NoticesPage): PageRoute {
  const act = <Schema extends TObject, Outcome extends object>({
    input: schema,
    given,
    confirm,
    run,
    done,
  }: WebhookMaking<Schema, Outcome>): Change => ({
    confirm(form) {
      // What would be refused for its input is not worth a confirmation.
      inputOf(schema, given(form));
      return confirm(form);
    },
    async run(visit, form) {
      const owner = await admitOwner(visit);
      const input = inputOf(schema, given(form));
      return done(visit, await run(visit.services.webhooks, owner, input));
    },
  });
  return {
    path: to,
    async show(visit, form) {
      const owner = await admitOwner(visit);
      const webhooks = await listWebhooks(visit.services, owner);
      const chosen = form?.given("webhook_id") ?? visit.query.get("webhook");
      const shown = webhooks.find(({ id }) => id === chosen);
      const isMember = visit.session.member !== undefined;
      return {
        title: "Notices",
        content: (
          <>
            <h1>Notices</h1>
            <p class="lead">{lead}</p>
            {isMember && (
              <p>
                <a href={`${visit.root}/console/${other.path}`}>{other.text}</a>
              </p>
            )}
            <h2>Webhooks</h2>
            <WebhookTable rows={webhooks} />
            {shown === undefined ? (
              <details open={form?.text("act") === "add"}>
                <summary>Add a webhook</summary>
                <ActForm
                  form={form}
                  isTall
                  fields={webhookFields(permission)}
                  buttons={[{ act: "add", text: "Add a webhook" }]}
                />
              </details>
            ) : (
              await oneWebhook({ visit, form, owner, shown, permission })
            )}
            {isMember && (await mailChoices(visit))}
            {permission === "read" && (await threshold(visit, form))}
          </>
        ),
      };
    },
    acts: {
      ...webhookActs({ permission, path: to, change: act, make: act }),
      mail: {
        confirm: () => "Your email settings will be updated.",
        async run(visit, form) {
          const { database } = visit.operator;
          const whose = memberOf(visit);
          if (whose === undefined) {
            return { kind: "refused", why: "Only members of the account receive emails." };
          }
          const known = await readMailChoices(database, whose);
          for (const choice of MAIL_CHOICES) {
            const types = MEMBER_TYPES.filter(
              (type) => form.text(MAIL_START + type) === choice && known.get(type) !== choice,
            );
            await setMailChoices(database, whose, { types, choice });
          }
          return { kind: "go", to, done: "edited" };
        },
      },
      threshold: {
        confirm: (form) =>
          form.text("credits") === "0"
            ? "Low-balance notices will be turned off."
            : `A notice will be sent when the balance drops below ${form.text("credits")} credits.`,
        async run(visit, form) {
          const nanos = nanosOfCredits(form.text("credits"));
          if (nanos === undefined || nanos < 0n || nanos > AMOUNT_NANOS_MAX) {
            return {
              kind: "refused",
              why: `Enter a number of credits up to ${digits(creditsNumber(AMOUNT_NANOS_MAX))}, or 0 to turn the notice off.`,
            };
          }
          await visit.operator.database.row("set_low_balance", {
            account_id: accountOf(visit),
            threshold_nanos: nanos,
          });
          return { kind: "go", to, done: "edited" };
        },
      },
    },
  };
}

export const CONSUMER_NOTICES = noticesPage({
  path: "notices",
  permission: "read",
  lead: "Notices about the feeds you read and about your balance.",
  other: { path: "feed-notices", text: "Webhooks for feeds you publish" },
});
export const PROVIDER_NOTICES = noticesPage({
  path: "feed-notices",
  permission: "write",
  lead: "Notices about the feeds you publish.",
  other: { path: "notices", text: "Webhooks for feeds you read and for your balance" },
});

interface OneWebhook {
  readonly visit: Visit;
  readonly form: Form | undefined;
  readonly owner: WebhookOwner;
  readonly shown: WebhookOutcome;
  readonly permission: "read" | "write";
}

/** Deliveries of an address, and what can be changed of it. */
async function oneWebhook({ visit, form, owner, shown, permission }: OneWebhook) {
  const offset = offsetOf(visit);
  const { deliveries, has_more: hasMore } = await listDeliveries(visit.services, owner, {
    id: shown.id,
    limit: DELIVERIES_LISTED,
    offset,
  });
  return (
    <>
      <h2>
        Deliveries to <Text of={shown.url} />
      </h2>
      <DeliveryTable label="Deliveries" rows={deliveries} empty="None in the last 30 days." />
      <Next
        visit={visit}
        by="offset"
        cursor={nextOffset(visit, { shown: deliveries.length, hasMore })}
        text="Older deliveries"
      />
      <details open={form?.text("act") === "edit"}>
        <summary>Edit this webhook</summary>
        <ActForm
          form={form}
          isTall
          hidden={{ webhook_id: shown.id }}
          fields={webhookFields(permission, shown)}
          buttons={[{ act: "edit", text: "Save" }]}
        />
      </details>
    </>
  );
}

/** Which notices the member gets as mail. */
async function mailChoices(visit: Visit) {
  const choices = await readMailChoices(visit.operator.database, present(memberOf(visit)));
  return (
    <>
      <h2>Emails to you</h2>
      <p>Daily emails are sent at 8:00 UTC.</p>
      <ActForm
        isTall
        fields={[...choices].map(([type, choice]) => ({
          name: MAIL_START + type,
          label: type,
          hint: whenOf(type),
          choices: MAIL_CHOICES.map((each) => [each, CHOICE_NAMES[each]] as const),
          value: choice,
        }))}
        buttons={[{ act: "mail", text: "Save" }]}
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
            label: "Send balance.low when the balance is below (credits)",
            kind: "decimal",
            value,
            hint: "0 turns the notice off.",
            isRequired: true,
          },
        ]}
        buttons={[{ act: "threshold", text: "Save", tone: "quiet" }]}
      />
    </>
  );
}

/** Admits a call of the session's key, as the API would. @throws {Problem} 401, 403, 429, 503 */
async function admitOwner({ services, actor, admit }: Visit): Promise<WebhookOwner> {
  return ownerByKey(services, await admit("webhooks"), actor);
}

function accountOf({ session }: Visit): string {
  return present(session.account).id;
}

function memberOf(visit: Visit) {
  const { member } = visit.session;
  return member && { accountId: accountOf(visit), personId: member.id };
}

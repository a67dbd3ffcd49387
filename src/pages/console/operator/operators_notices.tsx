/** @jsxImportSource preact */
/**
 * Notices for operators: their webhooks, and the deliveries of all accounts that wait or have failed.
 *
 * @module
 */
import { present } from "../../../lib/assert.ts";
import { allDeliveries, ListNoticesInput } from "../../../notices/all_deliveries.ts";
import {
  CreateWebhookInput,
  DELIVERY_STATUSES,
  EditWebhookInput,
  FindDeliveryInput,
  FindWebhookInput,
} from "../../../notices/webhook_shapes.ts";
import {
  createWebhook,
  deleteWebhook,
  editWebhook,
  listWebhooks,
  operatorsOwner,
  resendDelivery,
  rotateWebhook,
  testWebhook,
} from "../../../notices/webhooks.ts";
import { digits, FigureCard, Text } from "../../layout/parts.tsx";
import { ActForm, FilterForm } from "../act_form.tsx";
import { AccountLink, Next } from "../lists.tsx";
import { findNames } from "../names.ts";
import { showOnce } from "../show_once.tsx";
import type { Acted, Form, PageRoute, Visit } from "../visit.ts";
import {
  CONFIRMED,
  DeliveryTable,
  SECRET_NOTE,
  WebhookTable,
  webhookFields,
  webhookOf,
} from "../webhook_parts.tsx";
import { listInput, operatorAct, operatorMakes } from "./operator_act.ts";

const LISTED = 20;
const ANY = "any";

export const OPERATORS_NOTICES: PageRoute = {
  path: "webhooks",
  async show(visit, form) {
    const { webhooks: settings, database } = visit.operator;
    const webhooks = await listWebhooks(settings, operatorsOwner(database, visit.actor));
    const chosen = form?.given("webhook_id") ?? visit.query.get("webhook");
    const shown = webhooks.find(({ id }) => id === chosen);
    return {
      title: "Notices",
      content: (
        <>
          <h1>Notices</h1>
          <p class="lead">Webhooks, pending notices and deliveries.</p>
          {await waiting(visit)}
          {await deliveries(visit)}
          <h2>Operator webhooks</h2>
          <WebhookTable rows={webhooks} />
          {shown !== undefined && (
            <>
              <h3>
                Newest deliveries to <Text of={shown.url} />
              </h3>
              <DeliveryTable
                label="Deliveries to one address"
                rows={
                  (await allDeliveries(visit.operator, { webhook_id: shown.id, limit: LISTED }))
                    .entries
                }
                empty="None in the last 30 days."
              />
              <details open={form?.text("act") === "edit"}>
                <summary>Change this webhook</summary>
                <ActForm
                  form={form}
                  isTall
                  hidden={{ webhook_id: shown.id }}
                  fields={webhookFields("admin", shown)}
                  buttons={[{ act: "edit", text: "Save" }]}
                />
              </details>
            </>
          )}
          {shown === undefined && (
            <details open={form?.text("act") === "add"}>
              <summary>Add a webhook</summary>
              <ActForm
                form={form}
                isTall
                fields={webhookFields("admin")}
                buttons={[{ act: "add", text: "Add a webhook" }]}
              />
            </details>
          )}
        </>
      ),
    };
  },
  acts: {
    add: operatorMakes({
      input: CreateWebhookInput,
      given: (_, form) => ({ typed: webhookOf("admin", form) }),
      confirm: CONFIRMED.add,
      run: ({ webhooks, database }, input, actor) =>
        createWebhook(webhooks, operatorsOwner(database, actor), input),
      done: (_, { secret }) => showOnce("The webhook's secret", secret, SECRET_NOTE),
    }),
    edit: operatorAct({
      input: EditWebhookInput,
      given: (_, form) => ({ known: idOf(form), typed: webhookOf("admin", form) }),
      confirm: () => "The webhook will be updated.",
      run: ({ webhooks, database }, input, actor) =>
        editWebhook(webhooks, operatorsOwner(database, actor), input),
      done: saved,
    }),
    rotate: operatorMakes({
      input: FindWebhookInput,
      given: (_, form) => ({ known: idOf(form) }),
      confirm: CONFIRMED.rotate,
      run: ({ webhooks, database }, { webhook_id: id }, actor) =>
        rotateWebhook(webhooks, operatorsOwner(database, actor), id),
      done: (_, { secret }) => showOnce("The webhook's new secret", secret, SECRET_NOTE),
    }),
    test: operatorMakes({
      input: FindWebhookInput,
      given: (_, form) => ({ known: idOf(form) }),
      confirm: CONFIRMED.test,
      run: ({ webhooks, database }, { webhook_id: id }, actor) =>
        testWebhook(webhooks, operatorsOwner(database, actor), id),
      done: sent,
    }),
    resume: operatorAct({
      input: EditWebhookInput,
      given: (_, form) => ({ known: idOf(form), typed: { is_active: true } }),
      confirm: CONFIRMED.resume,
      run: ({ webhooks, database }, input, actor) =>
        editWebhook(webhooks, operatorsOwner(database, actor), input),
      done: saved,
    }),
    pause: operatorAct({
      input: EditWebhookInput,
      given: (_, form) => ({ known: idOf(form), typed: { is_active: false } }),
      confirm: CONFIRMED.pause,
      run: ({ webhooks, database }, input, actor) =>
        editWebhook(webhooks, operatorsOwner(database, actor), input),
      done: saved,
    }),
    remove: operatorAct({
      input: FindWebhookInput,
      given: (_, form) => ({ known: idOf(form) }),
      confirm: CONFIRMED.remove,
      run: ({ webhooks, database }, { webhook_id: id }, actor) =>
        deleteWebhook(webhooks, operatorsOwner(database, actor), id),
      done: saved,
    }),
    resend: operatorAct({
      input: FindDeliveryInput,
      given: (_, form) => ({ known: { delivery_id: form.text("delivery_id") } }),
      confirm: CONFIRMED.resend,
      run: (operator, { delivery_id: id }) => resendDelivery(operator, "operator", id),
      done: sent,
    }),
  },
};

/** How much is due, and since when. */
async function waiting({ operator: { database } }: Visit) {
  const found = present(await database.row("find_waiting_notices", {}));
  return (
    <div class="cards">
      <FigureCard
        label="Waiting"
        value={digits(found.unspread + found.waiting)}
        note="notices to distribute and deliveries due"
      />
      <FigureCard
        label="Oldest"
        value={`${Math.round(found.oldest_seconds ?? 0)} s`}
        note="since it was due"
      />
    </div>
  );
}

/** Deliveries of all accounts, by their status. */
async function deliveries(visit: Visit) {
  const status = visit.query.get("status") ?? "failed";
  const fixed = status === ANY ? {} : { status };
  const names = ["account_id"];
  const asked = listInput(visit, ListNoticesInput, { limit: LISTED, names, fixed });
  const found = await allDeliveries(visit.operator, asked);
  const { nameOf } = await findNames(
    visit,
    found.entries.map((row) => row.account_id),
  );
  const query = new URLSearchParams(visit.query);
  query.set("status", status);
  return (
    <>
      <h2>Deliveries to webhooks</h2>
      <FilterForm
        query={query}
        button="Show"
        fields={[
          {
            name: "status",
            label: "Status",
            choices: [...DELIVERY_STATUSES, ANY].map((each) => [each, each] as const),
          },
          { name: "account_id", label: "Account (ID or exact name)", kind: "search" },
        ]}
      />
      <DeliveryTable
        label="Deliveries to webhooks"
        rows={found.entries}
        columns={[
          {
            head: "To",
            cell: ({ account_id: id, url }) => (
              <>
                {id === null ? (
                  "operators"
                ) : (
                  <AccountLink visit={visit} id={id} name={nameOf(id)} />
                )}
                <div class="small">
                  <Text of={url} />
                </div>
              </>
            ),
          },
        ]}
        empty="None in the last 30 days."
      />
      <Next visit={visit} cursor={found.nextCursor} text="Older deliveries" />
    </>
  );
}

function idOf(form: Form) {
  return { webhook_id: form.text("webhook_id") };
}

function saved(): Acted {
  return { kind: "go", to: "webhooks", done: "edited" };
}

/** A call that is due now, which need not wait for the background job. */
function sent({ services }: Visit): Acted {
  services.notices.wake();
  return { kind: "go", to: "webhooks", done: "edited" };
}

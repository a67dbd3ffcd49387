/** @jsxImportSource preact */
/**
 * Notices for operators: their webhooks, and the deliveries of all accounts that wait or have failed.
 *
 * @module
 */
import type { TObject } from "@sinclair/typebox";
import type { Actor } from "../../../accounts/actor.ts";
import { present } from "../../../lib/assert.ts";
import { allDeliveries, ListNoticesInput } from "../../../notices/all_deliveries.ts";
import { DELIVERY_STATUSES } from "../../../notices/webhook_shapes.ts";
import { listWebhooks, operatorsOwner } from "../../../notices/webhooks.ts";
import type { InputOf } from "../../../operator/operator.ts";
import { digits, FigureCard, Text } from "../../layout/parts.tsx";
import { ActForm, FilterForm } from "../act_form.tsx";
import { AccountLink, Next } from "../lists.tsx";
import { findNames } from "../names.ts";
import type { Form, PageRoute, Visit } from "../visit.ts";
import { type WebhookForm, webhookActs } from "../webhook_acts.ts";
import { DeliveryTable, WebhookTable, webhookFields } from "../webhook_parts.tsx";
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
  acts: webhookActs({
    permission: "admin",
    path: "webhooks",
    change: (act) => operatorAct({ ...asOperators(act), done: act.done }),
    make: (act) => operatorMakes({ ...asOperators(act), done: act.done }),
  }),
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

/** The parts of an act on the operators' webhooks. */
function asOperators<Schema extends TObject, Outcome extends object>({
  input: schema,
  given,
  confirm,
  run,
}: WebhookForm<Schema, Outcome>) {
  return {
    input: schema,
    given: (_: Visit, form: Form) => given(form),
    confirm,
    run: ({ webhooks, database }: Visit["operator"], input: InputOf<Schema>, actor: Actor) =>
      run(webhooks, operatorsOwner(database, actor), input),
  };
}

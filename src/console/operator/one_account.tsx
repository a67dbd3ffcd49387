/** @jsxImportSource preact */
/**
 * One account: balance and its proof, keys, usage, and what an operator can do about it.
 *
 * @module
 */
import type { ProvenAccountOutcome } from "../../operator/accounts.ts";
import type { CreatedKeyOutcome, KeyOutcome } from "../../operator/keys.ts";
import { createSignInLink } from "../../operator/sign_in_links.ts";
import {
  digits,
  Facts,
  type Figure,
  FigureCard,
  Message,
  Table,
  Text,
  Time,
} from "../../ui/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { callThenGo } from "../acting.ts";
import { KeyState } from "../key_state.tsx";
import { FeedLink, type Listed } from "../lists.tsx";
import { bodyOf, typedNumber } from "../own_api.ts";
import { showOnce } from "../show_once.tsx";
import { type Acted, type Form, idOf, type PageRoute, type Visit } from "../visit.ts";

interface UsageEntry {
  readonly usage_id: string;
  readonly timestamp: string;
  readonly operation: string;
  readonly feed_id: string | null;
  readonly credits_charged: Figure;
}

type AccountWithKeys = ProvenAccountOutcome & { readonly keys: readonly KeyOutcome[] };

export const ONE_ACCOUNT: PageRoute = {
  path: "accounts/:id",
  async show(visit, form) {
    const id = idOf(visit);
    const [shown, log] = await Promise.all([
      visit.ask<AccountWithKeys>(`/v1/operator/accounts/${id}`),
      visit.ask<Listed<"usage", UsageEntry>>(`/v1/operator/usage?account_id=${id}&limit=20`),
    ]);
    const row = bodyOf(shown);
    const { usage } = bodyOf(log);
    const { ledger, earned } = row;
    const isSuspended = row.suspension_reason !== undefined;
    return {
      title: row.name,
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console/accounts`}>Accounts</a>
          </p>
          <h1>
            <Text of={row.name} />
          </h1>
          {isSuspended && (
            <Message tone="bad">
              <p>
                Suspended: <Text of={row.suspension_reason} />
              </p>
            </Message>
          )}
          <div class="cards">
            <FigureCard
              label="Balance"
              value={digits(row.balance_credits)}
              note={`credits = ${digits(row.balance_usd)} USD`}
            />
            <FigureCard
              label="Ledger"
              value={ledger.is_balanced ? "holds" : "is wrong"}
              note={`granted ${digits(ledger.granted_credits)} − revoked ${digits(ledger.revoked_credits)} − charged ${digits(ledger.charged_credits)} + refunded ${digits(ledger.refunded_credits)}`}
            />
            <FigureCard
              label="Earned as a provider"
              value={`${digits(earned.earned_usd)} USD`}
              note={`paid ${digits(earned.paid_usd)}, owed ${digits(earned.owed_usd)} USD`}
            />
          </div>
          <Facts of={{ Id: <code>{row.id}</code>, Made: <Time of={row.created_at} /> }} />
          <h2>Keys</h2>
          <Table
            label="Keys"
            rows={row.keys}
            columns={[
              {
                head: "Key",
                kind: "id",
                cell: (key) => (
                  <a href={`${visit.root}/console/keys?key=${key.id}`}>
                    <code>{key.key_start}…</code>
                  </a>
                ),
              },
              { head: "Name", cell: (key) => <Text of={key.name} /> },
              { head: "Permission", cell: (key) => key.permission },
              {
                head: "Credits a day",
                kind: "num",
                cell: (key) => (key.daily_credits === null ? "all" : digits(key.daily_credits)),
              },
              { head: "State", cell: (key) => <KeyState of={key} /> },
              { head: "Last used", kind: "when", cell: (key) => <Time of={key.last_used_at} /> },
            ]}
            empty="It has no key yet. Make one below, and give it to the customer."
          />
          <ActForm
            form={form}
            fields={[
              {
                name: "permission",
                label: "Permission",
                choices: [
                  ["read", "read (buys and reads)"],
                  ["write", "write (publishes)"],
                ],
              },
              { name: "key_name", label: "Name" },
              { name: "daily", label: "Credits a day, read keys only", kind: "decimal" },
            ]}
            buttons={[{ act: "key", text: "Make a key" }]}
          />
          <h2>Credits</h2>
          <ActForm
            form={form}
            fields={[
              { name: "credits", label: "Credits", kind: "decimal", isRequired: true },
              { name: "reason", label: "Reason", isRequired: true },
              { name: "reference", label: "Reference of the payment" },
            ]}
            buttons={[
              { act: "grant", text: "Grant" },
              { act: "take", text: "Take back", tone: "danger" },
            ]}
          />
          <p class="hint">1,000,000 credits are 1 USD.</p>
          <h2>Newest calls</h2>
          <Table
            label="Usage log"
            rows={usage}
            columns={[
              { head: "When", kind: "when", cell: (event) => <Time of={event.timestamp} /> },
              { head: "Call", cell: (event) => event.operation },
              {
                head: "Feed",
                kind: "id",
                cell: ({ feed_id: feedId }) =>
                  feedId === null ? "" : <FeedLink visit={visit} id={feedId} />,
              },
              { head: "Credits", kind: "num", cell: (event) => digits(event.credits_charged) },
              {
                head: "Usage id",
                kind: "id",
                cell: (event) => <code class="small">{event.usage_id}</code>,
              },
            ]}
            empty="It has not read anything yet."
          />
          <h3>Refund a read</h3>
          <ActForm
            form={form}
            fields={[
              { name: "usage_id", label: "Usage id", isRequired: true },
              { name: "refund_reason", label: "Reason", isRequired: true },
            ]}
            buttons={[{ act: "refund", text: "Refund", tone: "quiet" }]}
          />
          <h2>Sign-in and suspension</h2>
          <ActForm
            buttons={[
              { act: "link_read", text: "Link to sign in as consumer", tone: "quiet" },
              { act: "link_write", text: "Link to sign in as provider", tone: "quiet" },
              ...(isSuspended ? [{ act: "resume", text: "End the suspension" }] : []),
            ]}
          />
          {!isSuspended && (
            <ActForm
              form={form}
              fields={[
                { name: "suspend_reason", label: "Reason of a suspension", isRequired: true },
              ]}
              buttons={[{ act: "suspend", text: "Suspend", tone: "danger" }]}
            />
          )}
        </>
      ),
    };
  },
  acts: {
    key: {
      async run(visit, form) {
        const daily = form.given("daily");
        const body = {
          account_id: idOf(visit),
          permission: form.text("permission"),
          name: form.given("key_name"),
          ...(daily !== undefined && { daily_credits: typedNumber(daily) }),
        };
        const made = await visit.ask<CreatedKeyOutcome>("/v1/operator/keys", {
          method: "POST",
          body,
        });
        if (made.kind === "refused") return { kind: "refused", why: made.detail };
        const note = "It is shown this once: only its hash is stored. Give it to the customer now.";
        return showOnce("The new key", made.body.key, note);
      },
    },
    grant: {
      confirm: (form) =>
        `${form.text("credits")} credits are added to the account's balance. Reason: ${form.text("reason")}`,
      run: (visit, form) => changeCredits(visit, form, "grants"),
    },
    take: {
      confirm: (form) =>
        `${form.text("credits")} credits are taken from the account's balance. Reason: ${form.text("reason")}`,
      run: (visit, form) => changeCredits(visit, form, "revocations"),
    },
    refund: {
      confirm: (form) =>
        `What call ${form.text("usage_id")} was charged goes back to the account, once.`,
      run: (visit, form) =>
        callThenGo(
          visit,
          {
            path: `/v1/operator/usage/${encodeURIComponent(form.text("usage_id"))}/refund`,
            body: { reason: form.text("refund_reason") },
          },
          { to: `accounts/${idOf(visit)}`, done: "refunded" },
        ),
    },
    suspend: {
      confirm: (form) =>
        `Every call with the account's keys is refused from the next request on; its feeds stay readable. Reason: ${form.text("suspend_reason")}`,
      run: (visit, form) =>
        callThenGo(
          visit,
          {
            path: `/v1/operator/accounts/${idOf(visit)}/suspend`,
            body: { reason: form.text("suspend_reason") },
          },
          { to: `accounts/${idOf(visit)}`, done: "suspended" },
        ),
    },
    resume: {
      run: (visit) =>
        callThenGo(
          visit,
          { path: `/v1/operator/accounts/${idOf(visit)}/resume` },
          { to: `accounts/${idOf(visit)}`, done: "resumed" },
        ),
    },
    link_read: { run: (visit) => makeLink(visit, "read") },
    link_write: { run: (visit) => makeLink(visit, "write") },
  },
};

function changeCredits(visit: Visit, form: Form, what: "grants" | "revocations") {
  const id = idOf(visit);
  const body = {
    account_id: id,
    credits: typedNumber(form.text("credits")),
    reason: form.text("reason"),
    reference: form.given("reference"),
  };
  return callThenGo(
    visit,
    { path: `/v1/operator/credits/${what}`, body },
    { to: `accounts/${id}`, done: what === "grants" ? "granted" : "taken" },
  );
}

async function makeLink(visit: Visit, permission: "read" | "write"): Promise<Acted> {
  const asked = { account_id: idOf(visit), permission };
  const { url } = await createSignInLink(visit.operator, asked, visit.actor);
  const note =
    "Whoever opens it first, within 15 minutes, is signed in as this account. Send it to the customer alone.";
  return showOnce("A link to sign in", url, note);
}

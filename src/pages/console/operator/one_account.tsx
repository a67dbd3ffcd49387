/** @jsxImportSource preact */
/**
 * One account: balance and its proof, keys, usage, and what an operator can do about it.
 *
 * @module
 */
import type { UsageRow } from "../../../accounts/usage_event.ts";
import { problemOf } from "../../../api/problems/problems.ts";
import { creditsText } from "../../../money/money.ts";
import {
  EditAccountInput,
  editAccount,
  outlineAccount,
  type ProvenAccountOutcome,
  ResumeAccountInput,
  resumeAccount,
  SuspendAccountInput,
  showAccount,
  suspendAccount,
} from "../../../operator/accounts.ts";
import { CreditsInput, grantCredits, revokeCredits } from "../../../operator/credits.ts";
import { reportEarnings } from "../../../operator/earnings_statements.ts";
import { CreateKeyInput, createKey, listKeys } from "../../../operator/keys.ts";
import { RedeemPromotionInput, redeemPromotion } from "../../../operator/promotions.ts";
import { Refused, refusedOf } from "../../../operator/refused.ts";
import { CreateSignInLinkInput, createSignInLink } from "../../../operator/sign_in_links.ts";
import {
  ListUsageInput,
  listUsage,
  RefundUsageInput,
  refundUsage,
} from "../../../operator/usage.ts";
import {
  digits,
  Facts,
  type Figure,
  FigureCard,
  Message,
  plain,
  Table,
  Text,
  Time,
} from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { EarningsChart } from "../earnings_chart.tsx";
import { typedNumber } from "../exact_values.ts";
import { KeyState } from "../key_state.tsx";
import { FeedLink, Next } from "../lists.tsx";
import { findNames } from "../names.ts";
import { showOnce } from "../show_once.tsx";
import { SpendingChart, spendingOf } from "../spending_chart.tsx";
import {
  type Acted,
  type Change,
  type Done,
  type Form,
  idOf,
  type PageRoute,
  type Visit,
} from "../visit.ts";
import { MEMBER_ACTS, MembersPart, readMembers } from "./account_members.tsx";
import { listInput, operatorAct, operatorEntry, operatorMakes } from "./operator_act.ts";

const CALLS_LISTED = 20;

/** The proof of an account's balance, or why there is none. */
type Proof = ProvenAccountOutcome | Refused;

export const ONE_ACCOUNT: PageRoute = {
  path: "accounts/:id",
  async show(visit, form) {
    const id = idOf(visit);
    const { operator } = visit;
    const account = { account_id: id };
    const calls = listInput(visit, ListUsageInput, { limit: CALLS_LISTED, fixed: account });
    const [row, keys, log, spent, { outcome: sold }, members] = await Promise.all([
      outlineAccount(operator, account),
      listKeys(operator, account),
      listUsage(operator, calls),
      spendingOf(visit, id, "day"),
      reportEarnings(operator, { ...account, group_by: "day" }),
      readMembers(visit, id),
    ]);
    const proof =
      row.has_long_log && visit.query.get("prove") !== "yes"
        ? undefined
        : await showAccount(operator, account).catch(refusedOf);
    const { entries: usage, nextCursor: cursor } = log;
    const { nameOf } = await findNames(
      visit,
      usage.flatMap(({ feed_id: feedId, key_id: keyId }) => [feedId, keyId]),
    );
    const { earned } = row;
    const isClosed = row.closed_at !== undefined;
    const isSuspended = row.suspension_reason !== undefined && !isClosed;
    return {
      title: row.name,
      hasCharts: true,
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console/accounts`}>Accounts</a>
          </p>
          <h1>
            <Text of={row.name} />
          </h1>
          {isClosed && (
            <Message tone="plain">
              <p>
                Closed at <Time of={row.closed_at} />. Its usage and ledger are kept under its id.
              </p>
            </Message>
          )}
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
            <Ledger proof={proof} />
            <FigureCard
              label="Earned as a provider"
              value={digits(earned.earned_usd)}
              note={`USD: ${digits(earned.paid_usd)} paid, ${digits(earned.owed_usd)} owed`}
            />
          </div>
          <Facts
            of={{
              Proof:
                proof === undefined ? (
                  <a href="?prove=yes">Prove it by the log, which is long</a>
                ) : (
                  proofText(proof)
                ),
              Id: <code>{row.id}</code>,
              Made: <Time of={row.created_at} />,
              Feeds: <a href={`${visit.root}/console/feeds?account_id=${id}`}>Its feeds</a>,
              Changes: <a href={`${visit.root}/console/audit?account_id=${id}`}>Its audit trail</a>,
            }}
          />
          <div class="charts">
            {hasMoved(spent.totals.charged_credits, spent.totals.refunded_credits) && (
              <SpendingChart of={spent} />
            )}
            {hasMoved(sold.totals.gross_usd, sold.totals.refunded_usd) && (
              <EarningsChart of={sold} />
            )}
          </div>
          <h2>Keys</h2>
          <Table
            label="Keys"
            rows={keys.entries}
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
                cell: (key) =>
                  key.daily_credits === null ? "no limit" : digits(key.daily_credits),
              },
              { head: "State", cell: (key) => <KeyState of={key} /> },
              { head: "Last used", kind: "when", cell: (key) => <Time of={key.last_used_at} /> },
            ]}
            empty={
              isClosed
                ? "It has no key."
                : "It has no key yet. Make one below, and give it to the customer."
            }
          />
          {!isClosed && (
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
          )}
          {!isClosed && <MembersPart of={members} form={form} />}
          <h2>Credits</h2>
          <ActForm
            form={form}
            fields={[
              { name: "credits", label: "Credits", kind: "decimal", isRequired: true },
              { name: "reason", label: "Reason", isRequired: true },
              { name: "reference", label: "Reference of the payment" },
            ]}
            buttons={[
              ...(isClosed ? [] : [{ act: "grant", text: "Grant" }]),
              { act: "take", text: "Take back", tone: "danger" },
            ]}
          />
          <p class="hint">1,000,000 credits are 1 USD.</p>
          {!isClosed && (
            <>
              {" "}
              <h3>Redeem a promotion code</h3>
              <ActForm
                form={form}
                fields={[{ name: "code", label: "Code", isRequired: true }]}
                buttons={[{ act: "redeem", text: "Redeem", tone: "quiet" }]}
              />
            </>
          )}
          <h2>Newest calls</h2>
          <Table
            label="Usage log"
            rows={usage}
            columns={[
              { head: "When", kind: "when", cell: (event) => <Time of={event.timestamp} /> },
              { head: "Call", cell: (event) => event.operation },
              {
                head: "Feed",
                cell: ({ feed_id: feedId }) =>
                  feedId === null ? (
                    ""
                  ) : (
                    <FeedLink visit={visit} id={feedId} name={nameOf(feedId)} />
                  ),
              },
              { head: "Key", cell: (event) => <Text of={nameOf(event.key_id)} /> },
              { head: "Credits", kind: "num", cell: (event) => creditsText(event.charge_nanos) },
              {
                head: "Usage id",
                kind: "id",
                cell: (event) => <code class="small">{event.usage_id}</code>,
              },
              {
                head: "Refund",
                cell: (event) => event.charge_nanos > 0n && <Refund {...event} />,
              },
            ]}
            empty="It has not read anything yet."
          />
          <Next visit={visit} cursor={cursor} text="Older calls" />
          {!isClosed && (
            <>
              {" "}
              <h2>Name and quota</h2>
              <ActForm
                form={form}
                fields={[
                  { name: "account_name", label: "Name", value: row.name, isRequired: true },
                  {
                    name: "max_feeds",
                    label: "Feeds at most",
                    kind: "integer",
                    value: String(row.max_feeds_allowed),
                    isRequired: true,
                  },
                ]}
                buttons={[{ act: "edit", text: "Save", tone: "quiet" }]}
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
          )}
          {row.closed_at === undefined && (
            <>
              <h2>Close the account</h2>
              <ActForm buttons={[{ act: "close", text: "Close the account", tone: "danger" }]} />
            </>
          )}
        </>
      ),
    };
  },
  acts: {
    ...MEMBER_ACTS,
    key: operatorMakes({
      input: CreateKeyInput,
      given: (visit, form) => ({ typed: newKeyOf(visit, form) }),
      confirm: (form) =>
        `A new ${form.text("permission")} key of the account is made. The next page shows it, once.`,
      run: createKey,
      done: (_, { key }) =>
        showOnce(
          "The new key",
          key,
          "It is shown this once: only its hash is stored. Give it to the customer now.",
        ),
    }),
    grant: operatorEntry({
      input: CreditsInput,
      given: (visit, form) => ({ typed: creditsOf(visit, form) }),
      confirm: (form) =>
        `${digits(form.text("credits"))} credits are added to the account's balance. Reason: ${form.text("reason")}`,
      run: (operator, input, actor, reference) =>
        grantCredits(operator, { reference, ...input }, actor),
      done: (visit) => backTo(visit, "granted"),
    }),
    take: operatorEntry({
      input: CreditsInput,
      given: (visit, form) => ({ typed: creditsOf(visit, form) }),
      confirm: (form) =>
        `${digits(form.text("credits"))} credits are taken from the account's balance. Reason: ${form.text("reason")}`,
      run: (operator, input, actor, reference) =>
        revokeCredits(operator, { reference, ...input }, actor),
      done: (visit) => backTo(visit, "taken"),
    }),
    redeem: operatorMakes({
      input: RedeemPromotionInput,
      given: (visit, form) => ({
        known: { code: form.text("code") },
        typed: { account_id: idOf(visit) },
      }),
      confirm: (form) =>
        `The credits of code ${form.text("code")} are added to the account's balance, once.`,
      run: redeemPromotion,
      done: (visit) => backTo(visit, "redeemed"),
    }),
    refund: operatorAct({
      input: RefundUsageInput,
      asks: [{ name: "refund_reason", label: "Reason", isRequired: true }],
      given: (_, form) => ({
        known: { usage_id: form.text("usage_id") },
        typed: { reason: form.text("refund_reason") },
      }),
      confirm: (form) =>
        `The ${digits(form.text("charged"))} credits that call ${form.text("usage_id")} was charged go back to the account, once.`,
      run: refundUsage,
      done: (visit) => backTo(visit, "refunded"),
    }),
    edit: operatorAct({
      input: EditAccountInput,
      given: (visit, form) => ({
        known: { account_id: idOf(visit) },
        typed: {
          name: form.text("account_name"),
          max_feeds_allowed: typedNumber(form.text("max_feeds")),
        },
      }),
      confirm: (form) =>
        `The account is called ${form.text("account_name")}, and may have ${form.text("max_feeds")} feeds.`,
      run: editAccount,
      done: (visit) => backTo(visit, "edited"),
    }),
    suspend: operatorAct({
      input: SuspendAccountInput,
      given: (visit, form) => ({
        known: { account_id: idOf(visit) },
        typed: { reason: form.text("suspend_reason") },
      }),
      confirm: (form) =>
        `Every call with the account's keys is refused from the next request on; its feeds stay readable. Reason: ${form.text("suspend_reason")}`,
      run: suspendAccount,
      done: (visit) => backTo(visit, "suspended"),
    }),
    resume: operatorAct({
      input: ResumeAccountInput,
      given: (visit) => ({ known: { account_id: idOf(visit) } }),
      confirm: () => "Calls with the account's keys are answered again from the next request on.",
      run: resumeAccount,
      done: (visit) => backTo(visit, "resumed"),
    }),
    link_read: makeLink(
      "read",
      "A link is made. Who opens it within 15 minutes spends this account's credits.",
    ),
    link_write: makeLink(
      "write",
      "A link is made. Who opens it within 15 minutes changes this account's feeds.",
    ),
  },
};

function newKeyOf(visit: Visit, form: Form) {
  const daily = form.given("daily");
  return {
    account_id: idOf(visit),
    permission: form.text("permission"),
    name: form.given("key_name"),
    ...(daily !== undefined && { daily_credits: typedNumber(daily) }),
  };
}

function creditsOf(visit: Visit, form: Form) {
  return {
    account_id: idOf(visit),
    credits: typedNumber(form.text("credits")),
    reason: form.text("reason"),
    reference: form.given("reference"),
  };
}

function backTo(visit: Visit, done: Done): Acted {
  return { kind: "go", to: `accounts/${idOf(visit)}`, done };
}

function Ledger({ proof }: { readonly proof: Proof | undefined }) {
  if (proof === undefined || proof instanceof Refused) {
    return <FigureCard label="Ledger" value="not proven" note="see the proof below" />;
  }
  const { is_balanced: holds } = proof.ledger;
  return (
    <FigureCard
      label="Ledger"
      value={holds ? "holds" : "is wrong"}
      note={holds ? "proven just now" : "see the proof below"}
    />
  );
}

function proofText(proof: Proof): string {
  if (proof instanceof Refused) return problemOf(proof).detailIn();
  const { ledger, balance_credits: balance } = proof;
  const { granted_credits: granted, revoked_credits: revoked } = ledger;
  const { charged_credits: charged, refunded_credits: refunded } = ledger;
  const sign = ledger.is_balanced ? "=" : "≠";
  return `${digits(granted)} granted − ${digits(revoked)} revoked − ${digits(charged)} charged + ${digits(refunded)} refunded ${sign} ${digits(balance)} credits`;
}

/** Gives back what a call was charged. */
function Refund({ usage_id: usageId, charge_nanos: charged }: UsageRow) {
  return (
    <ActForm
      hidden={{ usage_id: usageId, charged: creditsText(charged) }}
      buttons={[{ act: "refund", text: "Refund", tone: "quiet" }]}
    />
  );
}

/** Whether there is anything but zeros. */
function hasMoved(...figures: readonly Figure[]): boolean {
  return figures.some((figure) => Number(plain(figure)) !== 0);
}

function makeLink(permission: "read" | "write", sentence: string): Change {
  return operatorMakes({
    input: CreateSignInLinkInput,
    given: (visit) => ({ known: { account_id: idOf(visit), permission } }),
    confirm: () => sentence,
    run: createSignInLink,
    done: (_, { url }) =>
      showOnce(
        "A link to sign in",
        url,
        "Whoever signs in with it first, within 15 minutes, acts as this account. Send it to the customer alone.",
      ),
  });
}

/** @jsxImportSource preact */
/**
 * The keys of an account. Its owners create, change and revoke them here. Someone who has signed in with a key can only
 * view them.
 *
 * @module
 */
import { budgetsResetAt, type KeyBudget } from "../../../accounts/budgets.ts";
import { present } from "../../../lib/assert.ts";
import { MS_PER_DAY } from "../../../lib/time_units.ts";
import { parseUuid } from "../../../lib/uuid.ts";
import { OWN_KEYS_MAX } from "../../../limits.ts";
import { usdNumber } from "../../../money/money.ts";
import { EditKeyInput, type KeyOutcome, listKeys, RotateKeyInput } from "../../../operator/keys.ts";
import {
  CreateOwnKeyInput,
  createOwnKey,
  editOwnKey,
  findOwnKey,
  revokeOwnKey,
  rotateOwnKey,
} from "../../../people/account_keys.ts";
import { counted, type Figure, plain, Time, Usd } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { givenCredits, usdOfCredits } from "../amounts.ts";
import { BudgetBar } from "../budget_bar.tsx";
import type { FormField } from "../form_field.ts";
import { inputOf } from "../form_input.ts";
import { KeyState, stateOfKey } from "../key_state.tsx";
import { fileOf, listedTable } from "../listed_table.tsx";
import { isOwner, ownerOf } from "../person/acting_owner.ts";
import { showOnce } from "../show_once.tsx";
import type { Form, PageRoute, Visit } from "../visit.ts";
import { readBudgets, readKeySpending } from "./own_records.ts";

const LISTED = 50;

export const OWN_KEYS: PageRoute = {
  path: "own-keys",
  download: (visit) => fileOf(visit, [keysTable(visit)]),
  async show(visit, form) {
    const changedId = form?.text("key_id") ?? visit.query.get("edit");
    const listed: ListedKey[] = [];
    const table = await keysTable(visit, (keys) => listed.push(...keys)).show();
    const changed = listed.find(({ id }) => id === changedId);
    return {
      title: "Keys",
      content: (
        <>
          <h1>Account keys</h1>
          <p class="lead">
            {isOwner(visit)
              ? "Programs use keys to read and push. A key is shown only once, when you create it."
              : visit.session.member === undefined
                ? "A key is shown only once, when it is created. To create or revoke keys, sign in with an email address, or contact the operator."
                : "A key is shown only once, when it is created. Owners of the account create and revoke keys."}
          </p>
          {isOwner(visit) && changed !== undefined && <EditForm of={changed} form={form} />}
          {isOwner(visit) && changed === undefined && (
            <NewKeyForm
              form={form}
              isOpen={form !== undefined || visit.query.has("make") || listed.length === 0}
            />
          )}
          {table}
          <p class="small soft">
            Daily budgets are per UTC day. They reset at <Time of={budgetsResetAt(Date.now())} />.
          </p>
        </>
      ),
    };
  },
  acts: {
    make: {
      isForOwners: true,
      async run(visit, form) {
        const made = await createOwnKey(visit.operator, newKeyOf(form), ownerOf(visit));
        return showOnce(
          "The new key",
          made.key,
          "It is shown only once, because only its hash is stored. Store it where your program can read it, but not in its source code.",
        );
      },
    },
    edit: {
      isForOwners: true,
      async confirm(form, visit) {
        const key = await findOwnKey(visit.operator, form.text("key_id"), ownerOf(visit));
        editOf(form, key);
        return `Key ${key.key_start}… will be changed. The new limits apply to programs and agents that use it from the next request.`;
      },
      async run(visit, form) {
        const owner = ownerOf(visit);
        const key = await findOwnKey(visit.operator, form.text("key_id"), owner);
        await editOwnKey(visit.operator, editOf(form, key), owner);
        return { kind: "go", to: "own-keys", done: "edited" };
      },
    },
    rotate: {
      isForOwners: true,
      asks: [
        {
          name: "leaked",
          label: "Someone else may have the key: revoke it immediately, and disconnect its agents",
          kind: "check",
        },
      ],
      async confirm(form, visit) {
        const key = await findOwnKey(visit.operator, form.text("key_id"), ownerOf(visit));
        return `A new key with the same settings will replace ${key.key_start}…, which keeps working for 24 hours. ${agentsText(key.agents, "will stay connected")}`;
      },
      async run(visit, form) {
        const isLeaked = form.text("leaked") === "yes";
        const input = inputOf(RotateKeyInput, {
          known: { key_id: form.text("key_id") },
          typed: isLeaked ? { grace_seconds: 0 } : {},
        });
        const { key } = await rotateOwnKey(visit.operator, input, ownerOf(visit));
        return showOnce(
          "The new key",
          key,
          `It is shown only once, because only its hash is stored. The old key ${isLeaked ? "was revoked" : "keeps working for 24 hours; replace it by then"}.`,
        );
      },
    },
    revoke: {
      isForOwners: true,
      async confirm(form, visit) {
        const key = await findOwnKey(visit.operator, form.text("key_id"), ownerOf(visit));
        return `Key ${key.key_start}… will be revoked, and its next request will be refused. ${agentsText(key.agents, "will be disconnected")} This can't be undone.`;
      },
      async run(visit, form) {
        await revokeOwnKey(visit.operator, form.text("key_id"), ownerOf(visit));
        return { kind: "go", to: "own-keys", done: "revoked" };
      },
    },
  },
};

/** A key, its daily budget, and what it has spent. */
type ListedKey = KeyOutcome & {
  readonly budget: KeyBudget | undefined;
  readonly spent: Figure;
};

function keysTable(visit: Visit, onRead: (keys: readonly ListedKey[]) => void = () => {}) {
  const { id: accountId } = present(visit.session.account);
  return listedTable<ListedKey>(visit, {
    name: "keys",
    label: "Keys",
    rows: LISTED,
    empty: "No keys yet.",
    async read(part) {
      // Nothing but an id, so that nobody can try beginnings of keys here.
      const cursor = parseUuid(part.cursor ?? "");
      const asked = { account_id: accountId, limit: part.limit, ...(cursor && { cursor }) };
      const [page, budgets, spent] = await Promise.all([
        listKeys(visit.operator, asked),
        readBudgets(visit),
        readKeySpending(visit),
      ]);
      const entries = page.entries.map((key) => ({
        ...key,
        budget: budgets.find((each) => each.key_id === key.id),
        spent: spent.get(key.id) ?? 0,
      }));
      onRead(entries);
      return { entries, nextCursor: page.nextCursor };
    },
    columns: [
      {
        head: "Key",
        kind: "id",
        text: (row) => row.key_start,
        cell: (row) => (
          <>
            <code>{row.key_start}…</code>
            {row.id === visit.session.keyId && <span class="soft"> this session</span>}
          </>
        ),
      },
      { head: "Name", text: (row) => row.name },
      { head: "Permission", text: (row) => row.permission },
      {
        head: "Daily budget",
        kind: "usd",
        text: (row) => (row.daily_credits === null ? null : usdOfCredits(row.daily_credits)),
        cell: ({ budget, daily_credits: daily, name, key_start: start }) => {
          if (budget !== undefined) return <BudgetBar of={budget} name={name ?? start} />;
          return daily === null ? "no limit" : <Usd of={usdOfCredits(daily)} />;
        },
      },
      {
        head: "Spent today",
        kind: "usd",
        isInFileOnly: true,
        text: ({ budget }) => budget && usdNumber(budget.spent_nanos),
      },
      { head: "Spent in 30 days", kind: "usd", text: (row) => row.spent },
      { head: "State", text: stateOfKey, cell: (row) => <KeyState of={row} /> },
      { head: "Last used", kind: "when", text: (row) => row.last_used_at },
      {
        head: "Expires",
        kind: "when",
        text: (row) => row.expires_at,
        cell: (row) => (row.expires_at === null ? "never" : <Time of={row.expires_at} />),
      },
    ],
    buttons: isOwner(visit)
      ? [{ head: "Actions", cell: (row) => row.revoked_at === null && <KeyButtons of={row} /> }]
      : [],
  });
}

function agentsText(agents: bigint, what: string): string {
  return agents === 0n
    ? "It has no connected agents."
    : `Its ${counted(agents, "connected agent")} ${what}.`;
}

const FEEDS_FIELD: FormField = {
  name: "feeds",
  label: "Limit to these feeds (read keys only)",
  hint: "IDs or slugs, separated by spaces or commas. Leave empty for all feeds.",
};

interface NewKeyFormProps {
  readonly form: Form | undefined;
  readonly isOpen: boolean;
}

function NewKeyForm({ form, isOpen }: NewKeyFormProps) {
  return (
    <details class="folded" open={isOpen}>
      <summary>Create a key</summary>
      <ActForm
        isTall
        form={form}
        fields={[
          {
            name: "permission",
            label: "Permission",
            choices: [
              ["read", "read: find, read and buy feeds"],
              ["write", "write: create feeds and push to them"],
            ],
          },
          { name: "key_name", label: "Name", hint: "Where it is used, such as “news agent”." },
          {
            name: "daily",
            label: "Daily budget (read keys only)",
            kind: "usd",
            hint: "Maximum spending per UTC day. 1 USD is 1,000,000 credits. Leave empty for no limit.",
          },
          FEEDS_FIELD,
          {
            name: "days",
            label: "Days until it expires",
            kind: "integer",
            hint: "Leave empty for no expiration.",
          },
        ]}
        isDirect
        buttons={[{ act: "make", text: "Create the key" }]}
        effect="The next page shows the key, once. Anyone with a read key can spend this account's credits. Anyone with a write key can edit and delete its feeds."
      />
      <p class="hint">An account can have up to {OWN_KEYS_MAX} active keys.</p>
    </details>
  );
}

function EditForm({ of, form }: { readonly of: KeyOutcome; readonly form: Form | undefined }) {
  const { daily_credits: daily, feed_ids: feedIds } = of;
  return (
    <>
      <h2>
        Change <code>{of.key_start}…</code>
      </h2>
      <ActForm
        isTall
        form={form}
        hidden={{ key_id: of.id }}
        fields={[
          { name: "key_name", label: "Name", value: of.name ?? "" },
          ...(of.permission === "read"
            ? [
                {
                  name: "daily",
                  label: "Daily budget",
                  kind: "usd" as const,
                  hint: "Maximum spending per UTC day. Leave empty for no limit.",
                  value: daily === null ? "" : plain(usdOfCredits(daily)),
                },
                { ...FEEDS_FIELD, label: "Limit to these feeds", value: feedIds?.join(" ") ?? "" },
              ]
            : []),
          {
            name: "ends",
            label: "Expires (UTC)",
            kind: "time",
            hint: "Leave empty for no expiration.",
            value: secondOf(of.expires_at),
          },
        ]}
        buttons={[{ act: "edit", text: "Save" }]}
      />
      <p>
        <a href="?">Cancel</a>
      </p>
    </>
  );
}

function KeyButtons({ of }: { readonly of: KeyOutcome }) {
  return (
    <div class="row-acts">
      <a class="button quiet" href={`?edit=${of.id}`}>
        Edit
      </a>
      <ActForm
        hidden={{ key_id: of.id }}
        buttons={[
          { act: "rotate", text: "Rotate", tone: "quiet" },
          { act: "revoke", text: "Revoke", tone: "danger" },
        ]}
      />
    </div>
  );
}

function feedsOf(form: Form): readonly string[] {
  return form
    .text("feeds")
    .split(/[\s,]+/)
    .filter(Boolean);
}

function newKeyOf(form: Form) {
  const daily = givenCredits(form, "daily");
  const days = form.given("days");
  const feeds = feedsOf(form);
  return inputOf(CreateOwnKeyInput, {
    typed: {
      permission: form.text("permission"),
      name: form.given("key_name"),
      ...(daily !== undefined && { daily_credits: daily }),
      ...(feeds.length > 0 && { feed_ids: feeds }),
      ...(days !== undefined && { expires_at: endOf(days) }),
    },
  });
}

/** What was typed stays if it is no number of days, so that the refusal is about it. */
function endOf(days: string): string {
  const ms = /^\d{1,5}$/.test(days) ? Number(days) * MS_PER_DAY : Number.NaN;
  return Number.isNaN(ms) ? days : new Date(Date.now() + ms).toISOString();
}

/** An end as its input has it, to the second. */
function secondOf(end: string | null): string {
  return end === null ? "" : end.slice(0, "2026-12-31T23:59:59".length);
}

/** The end that was typed, or null if the field is empty. An unchanged end keeps its fraction of a second. */
function typedEnd(form: Form, end: string | null): string | null {
  const typed = form.given("ends");
  if (typed === undefined) return null;
  const second = /T\d\d:\d\d$/.test(typed) ? `${typed}:00` : typed;
  return second === secondOf(end) ? end : `${second}Z`;
}

function editOf(
  form: Form,
  { permission, expires_at: end }: Pick<KeyOutcome, "permission" | "expires_at">,
) {
  const feeds = feedsOf(form);
  return inputOf(EditKeyInput, {
    known: { key_id: form.text("key_id") },
    typed: {
      name: form.given("key_name"),
      expires_at: typedEnd(form, end),
      ...(permission === "read" && {
        daily_credits: givenCredits(form, "daily") ?? null,
        feed_ids: feeds.length === 0 ? null : feeds,
      }),
    },
  });
}

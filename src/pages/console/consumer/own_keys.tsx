/** @jsxImportSource preact */
/**
 * The keys of an account. Its owners make, change and end them here. Whoever has signed in with a key sees them only.
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
          <h1>Keys of this account</h1>
          <p class="lead">
            {isOwner(visit)
              ? "Programs read and push with keys. A key is shown once, when you make it."
              : visit.session.member === undefined
                ? "A key was shown once, when it was made. To make or end keys, sign in with an e-mail address, or write to the operator."
                : "A key was shown once, when it was made. Owners of the account make and end keys."}
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
            A daily budget is for a UTC day. It starts anew at{" "}
            <Time of={budgetsResetAt(Date.now())} />.
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
          "It is shown this once: only its hash is stored. Keep it where your program finds it, and out of its source code.",
        );
      },
    },
    edit: {
      isForOwners: true,
      async confirm(form, visit) {
        const key = await findOwnKey(visit.operator, form.text("key_id"), ownerOf(visit));
        editOf(form, key);
        return `Key ${key.key_start}… is changed from the next request on. Programs and agents that use it get the new limits.`;
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
          label:
            "Somebody else may have it: end the old key at once, with the agents that it has connected",
          kind: "check",
        },
      ],
      async confirm(form, visit) {
        const key = await findOwnKey(visit.operator, form.text("key_id"), ownerOf(visit));
        return `A new key with the same settings takes the place of ${key.key_start}…, which works for 24 hours more. ${agentsText(key.agents, "stay connected")}`;
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
          `It is shown this once: only its hash is stored. The old key ${isLeaked ? "has ended" : "works for 24 hours more: put the new one in its place until then"}.`,
        );
      },
    },
    revoke: {
      isForOwners: true,
      async confirm(form, visit) {
        const key = await findOwnKey(visit.operator, form.text("key_id"), ownerOf(visit));
        return `Key ${key.key_start}… reads and writes nothing from the next request on. ${agentsText(key.agents, "end with it")} This can't be undone.`;
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
    empty: "There is no key yet.",
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
        head: "Ends",
        kind: "when",
        text: (row) => row.expires_at,
        cell: (row) => (row.expires_at === null ? "never" : <Time of={row.expires_at} />),
      },
    ],
    buttons: isOwner(visit)
      ? [{ head: "Change", cell: (row) => row.revoked_at === null && <KeyButtons of={row} /> }]
      : [],
  });
}

function agentsText(agents: bigint, what: string): string {
  return agents === 0n
    ? "It has connected no agent."
    : `${counted(agents, "agent")} that it has connected ${what}.`;
}

const FEEDS_FIELD: FormField = {
  name: "feeds",
  label: "Only these feeds, read keys only",
  hint: "By id or slug, separated by blanks or commas. Empty: all feeds.",
};

interface NewKeyFormProps {
  readonly form: Form | undefined;
  readonly isOpen: boolean;
}

function NewKeyForm({ form, isOpen }: NewKeyFormProps) {
  return (
    <details class="folded" open={isOpen}>
      <summary>Make a key</summary>
      <ActForm
        isTall
        form={form}
        fields={[
          {
            name: "permission",
            label: "What it is for",
            choices: [
              ["read", "read: find, read and buy feeds"],
              ["write", "write: make feeds and push to them"],
            ],
          },
          { name: "key_name", label: "Name", hint: "Where it is used, such as “news agent”." },
          {
            name: "daily",
            label: "Daily limit, read keys only",
            kind: "usd",
            hint: "The most that it spends in a UTC day. 1 USD is 1,000,000 credits. Empty: no limit.",
          },
          FEEDS_FIELD,
          {
            name: "days",
            label: "Days until it ends",
            kind: "integer",
            hint: "Empty: it doesn't end.",
          },
        ]}
        isDirect
        buttons={[{ act: "make", text: "Make the key" }]}
        effect="The next page shows the key, once. Whoever has a read key spends this account's credits. Whoever has a write key edits and deletes its feeds."
      />
      <p class="hint">An account has at most {OWN_KEYS_MAX} keys that work.</p>
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
                  label: "Daily limit",
                  kind: "usd" as const,
                  hint: "The most that it spends in a UTC day. Empty: no limit.",
                  value: daily === null ? "" : plain(usdOfCredits(daily)),
                },
                { ...FEEDS_FIELD, label: "Only these feeds", value: feedIds?.join(" ") ?? "" },
              ]
            : []),
          {
            name: "ends",
            label: "Ends, in UTC",
            kind: "time",
            hint: "Empty: it doesn't end.",
            value: secondOf(of.expires_at),
          },
        ]}
        buttons={[{ act: "edit", text: "Save" }]}
      />
      <p>
        <a href="?">Leave it as it is</a>
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

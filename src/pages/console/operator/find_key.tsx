/** @jsxImportSource preact */
/**
 * Whose a key is, and its end, its settings and its successor.
 *
 * @module
 */
import { KEY_PATTERN, startOf } from "../../../accounts/key_format.ts";
import { problemOf } from "../../../api/problems/problems.ts";
import {
  EditKeyInput,
  editAccountKey,
  type FoundKeyOutcome,
  findKeyRecord,
  RevokeKeyInput,
  RotateKeyInput,
  revokeKey,
  rotateAccountKey,
} from "../../../operator/keys.ts";
import { Refused, refusedOf } from "../../../operator/refused.ts";
import { Facts, Message, plain, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { typedNumber } from "../exact_values.ts";
import type { FormField } from "../form_field.ts";
import { KeyState } from "../key_state.tsx";
import { AccountLink } from "../lists.tsx";
import { showOnce } from "../show_once.tsx";
import type { Form, PageRoute, Visit } from "../visit.ts";
import { operatorAct, operatorMakes } from "./operator_act.ts";

export const FIND_KEY: PageRoute = {
  path: "keys",
  async show(visit, form) {
    const wanted =
      form?.given("key") ?? form?.given("key_id") ?? visit.query.get("key")?.trim() ?? "";
    const found =
      wanted === ""
        ? undefined
        : await findKeyRecord(visit.operator, { key: wanted }).catch(refusedOf);
    return {
      title: "Find a key",
      content: (
        <>
          <h1>Find a key</h1>
          <p class="lead">
            Somebody has found a key? Paste it, or its beginning. You see whose it is, and can end
            it.
          </p>
          <ActForm
            fields={[
              {
                name: "key",
                label: "Key, its beginning, or its id",
                kind: "key",
                value: wanted.replace(KEY_PATTERN, startOf),
              },
            ]}
            buttons={[{ act: "find", text: "Find" }]}
          />
          {found instanceof Refused && (
            <Message tone="bad">
              <p>
                <Text of={problemOf(found).detailIn()} />
              </p>
            </Message>
          )}
          {found !== undefined && !(found instanceof Refused) && (
            <FoundKey visit={visit} found={found} form={form} />
          )}
        </>
      ),
    };
  },
  acts: {
    find: {
      async look(visit, form) {
        return { kind: "show", view: await FIND_KEY.show(visit, form) };
      },
    },
    revoke: operatorAct({
      input: RevokeKeyInput,
      given: (_, form) => ({ known: { key_id: form.text("key_id") } }),
      confirm: (form) =>
        `Key ${form.text("key_start")}… reads and writes nothing from the next request on, and the agents that it has connected end with it. This can't be undone.`,
      run: revokeKey,
      done: () => ({ kind: "go", to: "keys", done: "revoked" }),
    }),
    rotate: operatorMakes({
      input: RotateKeyInput,
      given: (_, form) => ({ known: { key_id: form.text("key_id") } }),
      confirm: (form) =>
        `A new key with the same settings is made in the place of ${form.text("key_start")}…, which works for 24 hours more. Agents that it has connected stay. If somebody else may have the key, revoke it instead.`,
      run: rotateAccountKey,
      done: (_, { key }) =>
        showOnce(
          "The new key",
          key,
          "It is shown this once: only its hash is stored. Give it to the customer within 24 hours.",
        ),
    }),
    edit: operatorAct({
      input: EditKeyInput,
      confirm(form) {
        const name = form.given("key_name");
        const daily = form.given("daily");
        const named = `Key ${form.text("key_start")}… ${name === undefined ? "has no name" : `is named ${name}`}.`;
        if (form.text("permission") !== "read") return named;
        const limit = daily === undefined ? "what the account has" : `at most ${daily} credits`;
        return `${named} In a day, it spends ${limit}.`;
      },
      given(_, form) {
        const daily = form.given("daily");
        const budget = daily === undefined ? null : typedNumber(daily);
        return {
          known: { key_id: form.text("key_id") },
          typed: {
            name: form.given("key_name"),
            ...(form.text("permission") === "read" && { daily_credits: budget }),
          },
        };
      },
      run: editAccountKey,
      done: () => ({ kind: "go", to: "keys", done: "edited" }),
    }),
  },
};

interface FoundKeyProps {
  readonly visit: Visit;
  readonly found: FoundKeyOutcome;
  /** What was typed, if that was refused. */
  readonly form: Form | undefined;
}

function FoundKey({ visit, found, form }: FoundKeyProps) {
  return (
    <>
      <Facts
        of={{
          Key: <code>{found.key_start}…</code>,
          State: <KeyState of={found} />,
          Permission: found.permission,
          Account:
            found.account_id === null ? (
              "an operator's own"
            ) : (
              <AccountLink visit={visit} id={found.account_id} name={found.account_name ?? ""} />
            ),
          Name: <Text of={found.name} />,
          Made: <Time of={found.created_at} />,
          "Last used": <Time of={found.last_used_at} />,
          Ends: found.expires_at === null ? "never" : <Time of={found.expires_at} />,
        }}
      />
      {found.revoked_at === null && <KeyForms found={found} form={form} />}
    </>
  );
}

function KeyForms({ found, form }: Omit<FoundKeyProps, "visit">) {
  const { id, key_start, permission, account_id: accountId, daily_credits: daily } = found;
  const hidden = { key_id: id, key_start, permission };
  const revoke = { act: "revoke", text: "Revoke it", tone: "danger" } as const;
  // An operator's key is replaced by the command alone.
  if (accountId === null) return <ActForm hidden={hidden} buttons={[revoke]} />;
  const rotate = { act: "rotate", text: "Make a new one in its place", tone: "quiet" } as const;
  const budget: FormField = {
    name: "daily",
    label: "Credits a day; empty: no limit",
    kind: "decimal",
    value: daily === null ? "" : plain(daily),
  };
  return (
    <>
      <ActForm hidden={hidden} buttons={[revoke, rotate]} />
      <ActForm
        form={form}
        hidden={hidden}
        fields={[
          { name: "key_name", label: "Name", value: found.name ?? "" },
          ...(permission === "read" ? [budget] : []),
        ]}
        buttons={[{ act: "edit", text: "Save", tone: "quiet" }]}
      />
    </>
  );
}

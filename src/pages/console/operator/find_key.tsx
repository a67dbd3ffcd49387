/** @jsxImportSource preact */
/**
 * Finds the account of a key, and revokes, changes or rotates the key.
 *
 * @module
 */
import { listAgents } from "../../../accounts/agents.ts";
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
import { givenCredits, usdOfCredits } from "../amounts.ts";
import type { FormField } from "../form_field.ts";
import { KeyState } from "../key_state.tsx";
import { AccountLink } from "../lists.tsx";
import { showOnce } from "../show_once.tsx";
import type { Acted, Done, Form, PageRoute, Visit } from "../visit.ts";
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
            If a key has leaked, paste it or its beginning to find its owner and revoke it.
          </p>
          <ActForm
            fields={[
              {
                name: "key",
                label: "Key, its beginning, or its ID",
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
            <FoundKey
              visit={visit}
              found={found}
              isAgent={await isAgent(visit, found)}
              form={form}
            />
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
      async confirm(form, visit) {
        const found = await findKeyRecord(visit.operator, { key: form.text("key_id") });
        const whose = found.account_name ?? "an operator";
        if (await isAgent(visit, found)) {
          return `The agent ${found.name ?? "without a name"} of ${whose} will be disconnected, and its next call will be refused. It can ask to connect again.`;
        }
        return `Key ${found.key_start}… of ${whose} will be revoked: its next request will be refused, and its agents will be disconnected. This can't be undone.`;
      },
      run: revokeKey,
      done: (_, form) => backTo(form, form.given("is_agent") ? "agent_ended" : "revoked"),
    }),
    rotate: operatorMakes({
      input: RotateKeyInput,
      given: (_, form) => ({ known: { key_id: form.text("key_id") } }),
      async confirm(form, visit) {
        const found = await findKeyRecord(visit.operator, { key: form.text("key_id") });
        return `A new key with the same settings will replace ${found.key_start}… of ${found.account_name ?? "an operator"}, which keeps working for 24 hours. Its agents stay connected. If someone else may have the key, revoke it instead.`;
      },
      run: rotateAccountKey,
      done: (_, { key }) =>
        showOnce(
          "The new key",
          key,
          "It is shown only once, because only its hash is stored. Give it to the customer within 24 hours.",
        ),
    }),
    edit: operatorAct({
      input: EditKeyInput,
      given(_, form) {
        const isRead = form.text("permission") === "read";
        return {
          known: { key_id: form.text("key_id") },
          typed: {
            name: form.given("key_name"),
            ...(isRead && { daily_credits: givenCredits(form, "daily") ?? null }),
          },
        };
      },
      run: editAccountKey,
      done: (_, form) => backTo(form, "edited"),
    }),
  },
};

function backTo(form: Form, done: Done): Acted {
  return { kind: "go", to: `keys?${new URLSearchParams({ key: form.text("key_id") })}`, done };
}

/** Whether the key is an agent's that a user of its account has connected. */
async function isAgent(
  { operator: { database } }: Visit,
  { id, account_id: accountId }: FoundKeyOutcome,
): Promise<boolean> {
  if (accountId === null) return false;
  const agents = await listAgents(database, { accountId, chainId: null });
  return agents.some((agent) => agent.key_id === id);
}

interface FoundKeyProps {
  readonly visit: Visit;
  readonly found: FoundKeyOutcome;
  readonly isAgent: boolean;
  /** What was typed, if that was refused. */
  readonly form: Form | undefined;
}

function FoundKey({ visit, found, isAgent, form }: FoundKeyProps) {
  return (
    <>
      <Facts
        of={{
          Key: <code>{found.key_start}…</code>,
          State: <KeyState of={found} />,
          Kind: isAgent ? "a connected agent" : `${found.permission} key`,
          Account:
            found.account_id === null ? (
              "none (operator's key)"
            ) : (
              <AccountLink visit={visit} id={found.account_id} name={found.account_name ?? ""} />
            ),
          Name: found.name && <Text of={found.name} />,
          Created: <Time of={found.created_at} />,
          "Last used": <Time of={found.last_used_at} />,
          Expires: found.expires_at === null ? "never" : <Time of={found.expires_at} />,
        }}
      />
      {found.revoked_at === null && <KeyForms found={found} isAgent={isAgent} form={form} />}
    </>
  );
}

function KeyForms({ found, isAgent, form }: Omit<FoundKeyProps, "visit">) {
  const { id, key_start, permission, account_id: accountId, daily_credits: daily } = found;
  const hidden = { key_id: id, key_start, permission, ...(isAgent && { is_agent: "yes" }) };
  const revoke = {
    act: "revoke",
    text: isAgent ? "Disconnect the agent" : "Revoke the key",
    tone: "danger",
  } as const;
  // An operator's key is replaced by the command alone.
  if (accountId === null) return <ActForm hidden={hidden} buttons={[revoke]} />;
  const rotate = { act: "rotate", text: "Replace with a new key", tone: "quiet" } as const;
  const budget: FormField = {
    name: "daily",
    label: "Daily budget (leave empty for none)",
    kind: "usd",
    value: daily === null ? "" : plain(usdOfCredits(daily)),
  };
  return (
    <>
      <ActForm hidden={hidden} buttons={isAgent ? [revoke] : [revoke, rotate]} />
      <ActForm
        form={form}
        isDirect
        hidden={hidden}
        fields={[
          { name: "key_name", label: "Name", value: found.name ?? "" },
          ...(permission === "read" ? [budget] : []),
        ]}
        buttons={[{ act: "edit", text: "Save", tone: "quiet" }]}
        effect="A budget applies from the next request."
      />
    </>
  );
}

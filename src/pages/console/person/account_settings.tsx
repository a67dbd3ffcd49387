/** @jsxImportSource preact */
/**
 * Settings of an account: its name, and closing it.
 *
 * @module
 */
import { readEarned } from "../../../accounts/earnings/provider_payouts.ts";
import { present } from "../../../lib/assert.ts";
import { editAccount } from "../../../operator/accounts.ts";
import { closeAccount } from "../../../people/close_account.ts";
import { readOwnName } from "../../../people/own_name.ts";
import { digits, Facts, plain, Text } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { readAccount } from "../consumer/own_records.ts";
import type { PageRoute } from "../visit.ts";
import { isOwner, ownerOf } from "./acting_owner.ts";

export const ACCOUNT_SETTINGS: PageRoute = {
  path: "settings",
  async show(visit, form) {
    const account = present(visit.session.account);
    const [{ balance }, earned] = await Promise.all([
      readAccount(visit),
      readEarned(visit.operator.database, account.id),
    ]);
    return {
      title: "Settings",
      content: (
        <>
          <h1>Account settings</h1>
          <Facts
            of={{
              Name: <Text of={account.name} />,
              ID: <code>{account.id}</code>,
              Balance: `${digits(balance.credits)} credits`,
              "Earnings owed":
                Number(plain(earned.owed_usd)) > 0 && `${digits(earned.owed_usd)} USD`,
            }}
          />
          {isOwner(visit) && (
            <>
              <h2>Name</h2>
              <p class="hint">Shown as the provider of your feeds.</p>
              <ActForm
                form={form}
                fields={[{ name: "name", label: "Name", value: account.name, isRequired: true }]}
                buttons={[{ act: "rename", text: "Save", tone: "quiet" }]}
              />
              <h2>Close the account</h2>
              <p class="text">
                Closing the account revokes its keys, disconnects its agents, deletes its feeds,
                removes its members and forfeits its remaining credits. Usage, payments and the
                audit trail are kept under its ID, without names. An account can be closed only
                after its earnings are paid out.
              </p>
              <ActForm
                form={form}
                fields={[
                  {
                    name: "typed_name",
                    label: "To confirm, type the account's name",
                    isRequired: true,
                  },
                ]}
                buttons={[{ act: "close", text: "Close the account", tone: "danger" }]}
              />
            </>
          )}
        </>
      ),
    };
  },
  acts: {
    rename: {
      isForOwners: true,
      confirm(form) {
        const named = readOwnName(form.text("name"));
        return named.kind === "refused"
          ? named
          : `The account will be called ${named.name}. Its feeds will show this name.`;
      },
      async run(visit, form) {
        const { accountId, actor } = ownerOf(visit);
        const named = readOwnName(form.text("name"));
        if (named.kind === "refused") return named;
        await editAccount(visit.operator, { account_id: accountId, name: named.name }, actor);
        return { kind: "go", to: "settings", done: "edited" };
      },
    },
    close: {
      isForOwners: true,
      confirm(form, visit) {
        const { name } = present(visit.session.account);
        if (form.text("typed_name") !== name.trim()) {
          return { kind: "refused", why: "The name doesn't match, so the account was not closed." };
        }
        return `The account ${name} will be closed permanently, and its keys, agents, feeds, members and credits will be removed immediately. This can't be undone.`;
      },
      async run(visit, form) {
        const { accountId, ...by } = ownerOf(visit);
        if (form.text("typed_name") !== present(visit.session.account).name.trim()) {
          return { kind: "refused", why: "The name doesn't match, so the account was not closed." };
        }
        await closeAccount(visit.operator, { account_id: accountId }, by);
        return { kind: "go", to: "choose", done: "closed" };
      },
    },
  },
};

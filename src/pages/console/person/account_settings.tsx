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
          <h1>Settings of this account</h1>
          <Facts
            of={{
              Name: <Text of={account.name} />,
              Id: <code>{account.id}</code>,
              Balance: `${digits(balance.credits)} credits`,
              "Earnings owed":
                Number(plain(earned.owed_usd)) > 0 && `${digits(earned.owed_usd)} USD`,
            }}
          />
          {isOwner(visit) && (
            <>
              <h2>Name</h2>
              <p class="hint">Your feeds show it as their provider.</p>
              <ActForm
                form={form}
                fields={[{ name: "name", label: "Name", value: account.name, isRequired: true }]}
                buttons={[{ act: "rename", text: "Save", tone: "quiet" }]}
              />
              <h2>Close the account</h2>
              <p class="text">
                Its keys and agents end, its feeds are deleted, its members leave, and what is left
                of its credits is lost. Reads, payments and the record of changes are kept under its
                id, without names. An account can be closed once its earnings are paid out.
              </p>
              <ActForm
                form={form}
                fields={[
                  {
                    name: "typed_name",
                    label: "To close it, type the account's name",
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
          return { kind: "refused", why: "That is not the account's name, so nothing was closed." };
        }
        return `The account ${name} is closed for good: keys, agents, feeds, members and credits are gone at once. This can't be undone.`;
      },
      async run(visit, form) {
        const { accountId, ...by } = ownerOf(visit);
        if (form.text("typed_name") !== present(visit.session.account).name.trim()) {
          return { kind: "refused", why: "That is not the account's name, so nothing was closed." };
        }
        await closeAccount(visit.operator, { account_id: accountId }, by);
        return { kind: "go", to: "choose", done: "closed" };
      },
    },
  },
};

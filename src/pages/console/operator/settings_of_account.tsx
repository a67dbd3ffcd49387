/** @jsxImportSource preact */
/**
 * The settings of an account: name and feed limit, members, sign-in links, and closing it.
 *
 * @module
 */
import { EditAccountInput, editAccount, outlineAccount } from "../../../operator/accounts.ts";
import { CreateSignInLinkInput, createSignInLink } from "../../../operator/sign_in_links.ts";
import { ActForm } from "../act_form.tsx";
import { typedNumber } from "../exact_values.ts";
import { fileOf } from "../listed_table.tsx";
import { showOnce } from "../show_once.tsx";
import { type Change, idOf, type PageRoute } from "../visit.ts";
import { accountView } from "./account_frame.tsx";
import { MEMBER_ACTS, MembersPart, membersTable, readInvitations } from "./account_members.tsx";
import { operatorAct, operatorMakes } from "./operator_act.ts";

export const SETTINGS_OF_ACCOUNT: PageRoute = {
  path: "accounts/:id/settings",
  download: (visit) => fileOf(visit, [membersTable(visit)]),
  async show(visit, form) {
    const id = idOf(visit);
    const [account, invitations] = await Promise.all([
      outlineAccount(visit.operator, { account_id: id }),
      readInvitations(visit, id),
    ]);
    if (account.closed_at !== undefined) {
      return accountView({
        visit,
        account,
        part: "settings",
        children: <div class="empty">A closed account has no settings.</div>,
      });
    }
    return accountView({
      visit,
      account,
      part: "settings",
      children: (
        <>
          <h2>Name and feed limit</h2>
          <ActForm
            form={form}
            isDirect
            fields={[
              { name: "account_name", label: "Name", value: account.name, isRequired: true },
              {
                name: "max_feeds",
                label: "Feed limit",
                kind: "integer",
                value: String(account.max_feeds_allowed),
                isRequired: true,
              },
            ]}
            buttons={[{ act: "edit", text: "Save", tone: "quiet" }]}
            effect="The name is shown as the provider of its feeds. Drafts count toward the limit. Lowering the limit deletes no feeds."
          />
          <h2>Members</h2>
          {await membersTable(visit).show()}
          <MembersPart invitations={invitations} form={form} />
          <h2>Sign-in links</h2>
          <ActForm
            isDirect
            buttons={[
              { act: "link_read", text: "Create a link for a consumer", tone: "quiet" },
              { act: "link_write", text: "Create a link for a provider", tone: "quiet" },
            ]}
            effect="Anyone who opens the link within 15 minutes can act as this account: a consumer can spend its credits, a provider can change its feeds. A link works once."
          />
          <section class="apart">
            <h2>Close the account</h2>
            <ActForm
              buttons={[{ act: "close", text: "Close the account", tone: "danger" }]}
              effect="Revokes its keys, deletes its feeds and forfeits its credits. This can't be undone."
            />
          </section>
        </>
      ),
    });
  },
  acts: {
    ...MEMBER_ACTS,
    edit: operatorAct({
      input: EditAccountInput,
      given: (visit, form) => ({
        known: { account_id: idOf(visit) },
        typed: {
          name: form.text("account_name"),
          max_feeds_allowed: typedNumber(form.text("max_feeds")),
        },
      }),
      run: editAccount,
      done: (visit) => ({ kind: "go", to: `accounts/${idOf(visit)}/settings`, done: "edited" }),
    }),
    link_read: makeLink("read"),
    link_write: makeLink("write"),
  },
};

function makeLink(permission: "read" | "write"): Change {
  return operatorMakes({
    input: CreateSignInLinkInput,
    given: (visit) => ({ known: { account_id: idOf(visit), permission } }),
    run: createSignInLink,
    done: (_, { url }) =>
      showOnce(
        "Sign-in link",
        url,
        "The first person to sign in with it within 15 minutes acts as this account. Send it only to the customer.",
      ),
  });
}

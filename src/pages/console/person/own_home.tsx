/** @jsxImportSource preact */
/**
 * The home of a person in an account: what a consumer's home has, and in a new account three ways on.
 *
 * @module
 */
import { listAddressInvitations } from "../../../access/account_access.ts";
import { listInvitations } from "../../../people/members.ts";
import { counted, Message } from "../../layout/parts.tsx";
import { OWN_ACCOUNT, showAccount } from "../consumer/own_account.tsx";
import type { PageRoute, Visit } from "../visit.ts";
import { isOwner } from "./acting_owner.ts";

export const OWN_HOME: PageRoute = {
  ...OWN_ACCOUNT,
  async show(visit, form) {
    const { member } = visit.session;
    const { database } = visit.operator;
    const [invitations, toFeeds] =
      member === undefined
        ? [[], []]
        : await Promise.all([
            listInvitations(database, { addressKey: member.addressKey }),
            listAddressInvitations(database, member.addressKey),
          ]);
    return showAccount(visit, form, (isNew) => (
      <>
        {invitations.length > 0 && (
          <Message tone="plain">
            <p>
              You have {counted(invitations.length, "invitation")} to other accounts.{" "}
              <a href={`${visit.root}/console/choose`}>
                Look at {invitations.length === 1 ? "it" : "them"}
              </a>
              .
            </p>
          </Message>
        )}
        {toFeeds.length > 0 && (
          <Message tone="plain">
            <p>
              Your address is invited to read {counted(toFeeds.length, "feed")}.{" "}
              <a href={`${visit.root}/console/access`}>
                Look at {toFeeds.length === 1 ? "it" : "them"}
              </a>
              .
            </p>
          </Message>
        )}
        {isNew && <WaysOn visit={visit} />}
      </>
    ));
  },
};

function WaysOn({ visit }: { readonly visit: Visit }) {
  const console = `${visit.root}/console`;
  return (
    <section class="cards wide" aria-label="What to do next">
      <div class="card">
        <h2>Connect an agent</h2>
        <p>
          Give Claude, ChatGPT or another agent this address. It brings you back here, and you say
          how much it may spend.
        </p>
        <pre tabIndex={0}>
          <code>{`${visit.baseUrl}/mcp/connect`}</code>
        </pre>
        <p>
          <a href={`${visit.root}/docs/guides/connect`}>How, step by step</a>
        </p>
      </div>
      <div class="card">
        <h2>Make a key</h2>
        <p>For a program that reads feeds over HTTP. You decide what it may spend in a day.</p>
        <p>
          {isOwner(visit) ? (
            <a class="button" href={`${console}/own-keys?make=read`}>
              Make a key
            </a>
          ) : (
            "Ask an owner of the account for one."
          )}
        </p>
      </div>
      <div class="card">
        <h2>Publish a feed</h2>
        <p>Upload rows, or push them from a program. You set the price of a read.</p>
        <p>
          <a class="button quiet" href={`${console}/new`}>
            New feed
          </a>
        </p>
      </div>
    </section>
  );
}

/** @jsxImportSource preact */
/**
 * The home of a person in an account: the content of a consumer's home, and in a new account three suggestions for what
 * to do next.
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
                View {invitations.length === 1 ? "it" : "them"}
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
                View {toFeeds.length === 1 ? "it" : "them"}
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
    <section class="cards wide" aria-label="Next steps">
      <div class="card">
        <h2>Connect an agent</h2>
        <p>
          Give this address to Claude, ChatGPT or another agent. It brings you back here, and you
          decide how much it may spend.
        </p>
        <pre tabIndex={0}>
          <code>{`${visit.baseUrl}/mcp/connect`}</code>
        </pre>
        <p>
          <a href={`${visit.root}/docs/guides/connect`}>Step-by-step guide</a>
        </p>
      </div>
      <div class="card">
        <h2>Create a key</h2>
        <p>For programs that read feeds over HTTP. You set how much a key may spend per day.</p>
        <p>
          {isOwner(visit) ? (
            <a class="button" href={`${console}/own-keys?make=read`}>
              Create a key
            </a>
          ) : (
            "Ask an owner of the account for a key."
          )}
        </p>
      </div>
      <div class="card">
        <h2>Publish a feed</h2>
        <p>Upload rows, or push them from a program. You set the price.</p>
        <p>
          <a class="button quiet" href={`${console}/new`}>
            New feed
          </a>
        </p>
      </div>
    </section>
  );
}

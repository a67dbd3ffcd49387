/** @jsxImportSource preact */
/**
 * The home of a person in an account: three ways on while nothing has been done yet, and what a consumer's home has.
 *
 * @module
 */

import { listInvitations } from "../../../people/members.ts";
import { counted, Message } from "../../layout/parts.tsx";
import { OWN_ACCOUNT } from "../consumer/own_account.tsx";
import type { PageRoute } from "../visit.ts";
import { isOwner } from "./acting_owner.ts";

export const OWN_HOME: PageRoute = {
  path: "",
  async show(visit, form) {
    const { member } = visit.session;
    const [view, invitations] = await Promise.all([
      OWN_ACCOUNT.show(visit, form),
      member === undefined
        ? []
        : listInvitations(visit.operator.database, { addressKey: member.addressKey }),
    ]);
    const console = `${visit.root}/console`;
    return {
      ...view,
      content: (
        <>
          {invitations.length > 0 && (
            <Message tone="plain">
              <p>
                You have {counted(invitations.length, "invitation")} to other accounts.{" "}
                <a href={`${console}/choose`}>Look at {invitations.length === 1 ? "it" : "them"}</a>
                .
              </p>
            </Message>
          )}
          <section class="cards ways" aria-label="What to do next">
            <div class="card">
              <h2>Connect an agent</h2>
              <p>
                Give Claude, ChatGPT or another agent this address. It brings you back here, and you
                say how much it may spend.
              </p>
              <pre>{`${visit.baseUrl}/mcp/connect`}</pre>
              <p>
                <a href={`${visit.root}/docs/guides/connect`}>How, step by step</a>
              </p>
            </div>
            <div class="card">
              <h2>Make a key</h2>
              <p>For a program of yours that reads feeds over HTTP, with a budget a day.</p>
              <p>
                {isOwner(visit) ? (
                  <a class="button" href={`${console}/own-keys`}>
                    Make a key
                  </a>
                ) : (
                  "Ask an owner of the account for one."
                )}
              </p>
            </div>
            <div class="card">
              <h2>Publish a feed</h2>
              <p>Upload rows or push them from a program. You set the price of a read.</p>
              <p>
                <a class="button quiet" href={`${console}/new`}>
                  New feed
                </a>
              </p>
            </div>
          </section>
          {view.content}
        </>
      ),
    };
  },
  ...(OWN_ACCOUNT.acts !== undefined && { acts: OWN_ACCOUNT.acts }),
};

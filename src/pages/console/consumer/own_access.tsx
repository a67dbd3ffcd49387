/** @jsxImportSource preact */
/**
 * What an account may read of feeds that are not open: invitations to accept, access that was granted, and requests.
 *
 * @module
 */
import {
  type AddressInvitation,
  findShownFeeds,
  listAddressInvitations,
  takeAccessInvitation,
} from "../../../access/account_access.ts";
import { listOwnAccessRequests, listOwnGrants } from "../../../access/ask_for_access.ts";
import type { AccessRequest } from "../../../feeds/access_request.ts";
import { present } from "../../../lib/assert.ts";
import { Badge, Table, Text, Time, type Tone } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { FeedLink, Next } from "../lists.tsx";
import type { PageRoute, Visit } from "../visit.ts";

const LISTED = 50;
/** What the page's address calls the places in its two lists. */
const GRANTS_PLACE = "granted";
const REQUESTS_PLACE = "asked";

export const STATUS_TONES: Readonly<Record<AccessRequest["status"], Tone>> = {
  waiting: "warn",
  approved: "good",
  declined: "bad",
};

export const OWN_ACCESS: PageRoute = {
  path: "access",
  async show(visit) {
    const { services, session } = visit;
    const principal = await visit.admit("account");
    const place = (name: string) => ({
      limit: LISTED,
      cursor: visit.query.get(name)?.trim() || undefined,
    });
    const [grants, asked, invitations] = await Promise.all([
      listOwnGrants(services, principal, place(GRANTS_PLACE)),
      listOwnAccessRequests(services, principal, place(REQUESTS_PLACE)),
      invitationsOf(visit),
    ]);
    const { isFound, isHidden } = await findShownFeeds(
      services.database,
      principal.accountId,
      asked.requests.map((row) => row.feed_id),
    );
    return {
      title: "Access",
      content: (
        <>
          <h1>Access to feeds</h1>
          <p class="lead">
            Some providers decide which accounts read a feed. These are the feeds that this account
            was granted, and the ones it has asked for.
          </p>
          <Invitations rows={invitations} accountName={present(session.account).name} />
          <h2>Granted</h2>
          <Table
            label="Granted"
            rows={grants.rows}
            columns={[
              {
                head: "Feed",
                cell: (row) => <FeedLink visit={visit} id={row.feed_id} name={row.feed_name} />,
              },
              { head: "Reads", cell: (row) => readsText(row.is_free) },
              { head: "Ends", kind: "when", cell: (row) => <End of={row.expires_at} /> },
              { head: "Since", kind: "when", cell: (row) => <Time of={row.granted_at} /> },
            ]}
            empty={
              <>
                This account was granted no feed. Feeds in the{" "}
                <a href={`${visit.root}/console/catalog`}>catalog</a> that need access have a form
                to ask for it.
              </>
            }
          />
          <Next visit={visit} by={GRANTS_PLACE} cursor={grants.nextCursor} text="Older grants" />
          <h2>Requests</h2>
          <Table
            label="Requests"
            rows={asked.requests}
            columns={[
              {
                head: "Feed",
                cell: ({ feed_id: id, feed_name: name }) => (
                  <FeedLink
                    visit={visit}
                    id={id}
                    name={isHidden(id) ? undefined : name}
                    hasPage={isFound(id)}
                  />
                ),
              },
              { head: "Asked", kind: "when", cell: (row) => <Time of={row.asked_at} /> },
              {
                head: "State",
                kind: "when",
                cell: ({ status, answered_at: at }) => (
                  <>
                    <Badge tone={STATUS_TONES[status]}>{status}</Badge>{" "}
                    {at !== null && <Time of={at} />}
                  </>
                ),
              },
              { head: "Reason", cell: (row) => <Words of={row.reason} /> },
              { head: "Your message", cell: (row) => <Words of={row.message} /> },
            ]}
            empty="This account has not asked for access to any feed."
          />
          <Next
            visit={visit}
            by={REQUESTS_PLACE}
            cursor={asked.next_cursor}
            text="Older requests"
          />
        </>
      ),
    };
  },
  acts: {
    take: {
      async run({ services, session }, form) {
        const { account, member } = session;
        if (member === undefined) {
          return { kind: "refused", why: "Sign in with the address that is invited to accept." };
        }
        await takeAccessInvitation(services.database, {
          personId: member.id,
          accountId: present(account).id,
          invitationId: form.text("invitation_id"),
        });
        return { kind: "go", to: "access", done: "access_taken" };
      },
    },
  },
};

/** Those to the visitor's proven address; none for whoever has signed in with a key. */
export async function invitationsOf({
  services,
  session: { member },
}: Visit): Promise<readonly AddressInvitation[]> {
  return member === undefined ? [] : listAddressInvitations(services.database, member.addressKey);
}

interface InvitationsProps {
  readonly rows: readonly AddressInvitation[];
  readonly accountName: string;
}

function Invitations({ rows, accountName }: InvitationsProps) {
  if (rows.length === 0) return null;
  return (
    <>
      <h2>Invitations</h2>
      <p class="text">
        Providers have invited your e-mail address. If you accept, the account{" "}
        <Text of={accountName} /> gets the access. To use another account, switch to it; it then
        gets the access without a further step.
      </p>
      <Table
        label="Invitations"
        rows={rows}
        columns={[
          { head: "Feed", cell: (row) => <Text of={row.feed_name} /> },
          { head: "Provider", cell: (row) => <Text of={row.provider_name} /> },
          { head: "Reads", cell: (row) => readsText(row.is_free) },
          { head: "Access ends", kind: "when", cell: (row) => <End of={row.expires_at} /> },
          { head: "Accept until", kind: "when", cell: (row) => <Time of={row.ends_at} /> },
          {
            head: "Accept",
            cell: (row) => (
              <ActForm
                hidden={{ invitation_id: row.invitation_id }}
                buttons={[{ act: "take", text: "Accept" }]}
              />
            ),
          },
        ]}
        empty=""
      />
    </>
  );
}

export function readsText(isFree: boolean): string {
  return isFree ? "free" : "at the feed's price";
}

/** The end of a grant. */
export function End({ of }: { readonly of: string | null }) {
  return of === null ? <span class="soft">no end</span> : <Time of={of} />;
}

/** A text of several lines in a cell. */
export function Words({ of }: { readonly of: string | null }) {
  if (of === null) return null;
  return (
    <span class="words">
      <Text of={of} />
    </span>
  );
}

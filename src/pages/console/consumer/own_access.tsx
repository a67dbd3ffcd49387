/** @jsxImportSource preact */
/**
 * The account's access to feeds that are not open: invitations to accept, grants, and requests.
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
import { once } from "../../../lib/once.ts";
import type { Row } from "../../../postgres/client/database.ts";
import { Badge, Table, Text, Time, type Tone } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { fileOf, type ListedTable, listedTable } from "../listed_table.tsx";
import { FeedLink } from "../lists.tsx";
import type { PageRoute, Visit } from "../visit.ts";

const LISTED = 50;

export const STATUS_TONES: Readonly<Record<AccessRequest["status"], Tone>> = {
  waiting: "warn",
  approved: "good",
  declined: "bad",
};

export const OWN_ACCESS: PageRoute = {
  path: "access",
  download: (visit) => fileOf(visit, Object.values(tablesOf(visit))),
  async show(visit) {
    const { session } = visit;
    const invitations = await invitationsOf(visit);
    const { granted, asked } = tablesOf(visit);
    return {
      title: "Access",
      content: (
        <>
          <h1>Access to feeds</h1>
          <p class="lead">
            Some providers decide which accounts can read a feed. This page lists the feeds that
            this account has been granted access to, and its requests.
          </p>
          <Invitations rows={invitations} accountName={present(session.account).name} />
          <h2>Granted</h2>
          {await granted.show()}
          <h2>Requests</h2>
          {await asked.show()}
        </>
      ),
    };
  },
  acts: {
    take: {
      async run({ services, session }, form) {
        const { account, member } = session;
        if (member === undefined) {
          return { kind: "refused", why: "To accept, sign in with the invited address." };
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

type Admitted = () => ReturnType<Visit["admit"]>;

/** The tables of a page are one call of the account. */
function tablesOf(visit: Visit) {
  const admitted = once(() => visit.admit("account"));
  return { granted: grantsTable(visit, admitted), asked: requestsTable(visit, admitted) };
}

function grantsTable(visit: Visit, admitted: Admitted): ListedTable {
  return listedTable<Row<"list_account_grants">>(visit, {
    name: "granted",
    label: "Granted",
    rows: LISTED,
    by: "granted",
    next: "Older grants",
    empty: (
      <>
        No access granted yet. To ask for access to a feed, open it in the{" "}
        <a href={`${visit.root}/console/catalog`}>catalog</a>.
      </>
    ),
    async read(part) {
      const page = await listOwnGrants(visit.services, await admitted(), part);
      return { entries: page.rows, nextCursor: page.nextCursor };
    },
    columns: [
      {
        head: "Feed",
        text: (row) => row.feed_name,
        cell: (row) => <FeedLink visit={visit} id={row.feed_id} name={row.feed_name} />,
      },
      { head: "Feed ID", kind: "id", isInFileOnly: true, text: (row) => row.feed_id },
      { head: "Reads", text: (row) => readsText(row.is_free) },
      {
        head: "Expires",
        kind: "when",
        text: (row) => row.expires_at,
        cell: (row) => <End of={row.expires_at} />,
      },
      { head: "Since", kind: "when", text: (row) => row.granted_at },
    ],
  });
}

interface OwnRequest extends AccessRequest {
  /** Whether the account finds the feed. */
  readonly isFound: boolean;
  /** Undefined if the account may not see the feed's name. */
  readonly shownName: string | undefined;
}

function requestsTable(visit: Visit, admitted: Admitted): ListedTable {
  return listedTable<OwnRequest>(visit, {
    name: "requests",
    label: "Requests",
    rows: LISTED,
    by: "asked",
    next: "Older requests",
    empty: "This account has not requested access to any feed.",
    async read(part) {
      const { services } = visit;
      const principal = await admitted();
      const page = await listOwnAccessRequests(services, principal, part);
      const { isFound, isHidden } = await findShownFeeds(
        services.database,
        principal.accountId,
        page.requests.map((row) => row.feed_id),
      );
      const entries = page.requests.map((row) => ({
        ...row,
        isFound: isFound(row.feed_id),
        shownName: isHidden(row.feed_id) ? undefined : row.feed_name,
      }));
      return { entries, nextCursor: page.next_cursor };
    },
    columns: [
      {
        head: "Feed",
        text: (row) => row.shownName,
        cell: (row) => (
          <FeedLink visit={visit} id={row.feed_id} name={row.shownName} hasPage={row.isFound} />
        ),
      },
      { head: "Feed ID", kind: "id", isInFileOnly: true, text: (row) => row.feed_id },
      { head: "Requested", kind: "when", text: (row) => row.asked_at },
      {
        head: "State",
        kind: "when",
        text: (row) => row.status,
        cell: ({ status, answered_at: at }) => (
          <>
            <Badge tone={STATUS_TONES[status]}>{status}</Badge> {at !== null && <Time of={at} />}
          </>
        ),
      },
      { head: "Answered", kind: "when", isInFileOnly: true, text: (row) => row.answered_at },
      { head: "Reason", text: (row) => row.reason, cell: (row) => <Words of={row.reason} /> },
      {
        head: "Your message",
        text: (row) => row.message,
        cell: (row) => <Words of={row.message} />,
      },
    ],
  });
}

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
        Providers have invited your email address. If you accept, the account{" "}
        <Text of={accountName} /> gets access. To use a different account, switch to it; it then
        gets access automatically.
      </p>
      <Table
        label="Invitations"
        rows={rows}
        columns={[
          { head: "Feed", cell: (row) => <Text of={row.feed_name} /> },
          { head: "Provider", cell: (row) => <Text of={row.provider_name} /> },
          { head: "Reads", cell: (row) => readsText(row.is_free) },
          { head: "Access expires", kind: "when", cell: (row) => <End of={row.expires_at} /> },
          { head: "Accept by", kind: "when", cell: (row) => <Time of={row.ends_at} /> },
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
  return of === null ? <span class="soft">never</span> : <Time of={of} />;
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

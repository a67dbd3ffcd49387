/** @jsxImportSource preact */
/**
 * The readers of a feed: pending requests, accounts with a grant, and invited addresses.
 *
 * @module
 */
import {
  ApproveAccessInput,
  DeclineAccessInput,
  InviteReaderInput,
  type Reader,
  type ReaderInvitation,
  SetReaderInput,
} from "../../../access/access_shapes.ts";
import type { OwnedFeed } from "../../../access/owned_feed.ts";
import {
  inviteReader,
  listReaderInvitations,
  withdrawReaderInvitation,
} from "../../../access/reader_invitations.ts";
import { findReader, listReaders, removeReader, setReader } from "../../../access/readers.ts";
import { answerAccessRequest, listAccessRequests } from "../../../access/requests.ts";
import type { FeedAccess } from "../../../admission/claims.ts";
import type { AccessRequest } from "../../../feeds/access_request.ts";
import { once } from "../../../lib/once.ts";
import { INVITATION_DAYS } from "../../../limits.ts";
import { requireAddress } from "../../../people/members.ts";
import { ACCESS_NAMES } from "../../layout/access_text.tsx";
import { Badge, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { End, readsText, STATUS_TONES, Words } from "../consumer/own_access.tsx";
import { inputOf } from "../form_input.ts";
import { fileOf, type ListedColumn, type ListedTable, listedTable } from "../listed_table.tsx";
import { FeedLink, Next, parseOffset } from "../lists.tsx";
import { type Acted, type Done, type Form, idOf, type PageRoute, type Visit } from "../visit.ts";
import { findOwn } from "./find_own.ts";
import { TermsFields, termsIn } from "./reader_terms.tsx";

const READERS_LISTED = 50;
const REQUESTS_LISTED = 20;
const INVITATIONS_LISTED = 50;

export const FEED_READERS: PageRoute = {
  path: "feeds/:id/readers",
  download: (visit) => fileOf(visit, Object.values(tablesOf(visit, admittedOnce(visit)))),
  async show(visit, form) {
    const feed = await findOwn(visit);
    const owned = admittedOnce(visit);
    const { waiting, changed } = await readWaiting(visit, form, await owned());
    const { readers, answered, invitations } = tablesOf(visit, owned);
    return {
      title: `Readers of ${feed.name}`,
      content: (
        <>
          <p class="crumbs">
            <FeedLink visit={visit} id={feed.id} name={feed.name} />
          </p>
          <h1>Readers</h1>
          <p class="lead">
            Access to this feed: <Badge>{ACCESS_NAMES[feed.access]}</Badge>{" "}
            <a href={`${visit.root}/console/feeds/${feed.id}#access`}>Change</a>
          </p>
          <p class="text">{LEADS[feed.access]}</p>
          {changed !== undefined && <ChangeForm of={changed} form={form} />}
          {(feed.access === "by_request" || waiting.requests.length > 0) && (
            <>
              <h2>Requests</h2>
              <WaitingRequests requests={waiting.requests} form={form} />
              <Next visit={visit} by="waiting" cursor={waiting.next_cursor} text="Older requests" />
            </>
          )}
          <details class="folded" open={visit.query.has("answered")}>
            <summary>Answered requests</summary>
            {await answered.show()}
          </details>
          <h2>Accounts with access</h2>
          {await readers.show()}
          <GrantForm form={form} accountId={visit.query.get("grant") ?? ""} />
          <h2>Invited addresses</h2>
          {await invitations.show()}
          <InviteForm form={form} />
        </>
      ),
    };
  },
  acts: {
    approve: {
      async run(visit, form) {
        const { is_free, expires_at } = termsIn(form);
        const terms = inputOf(ApproveAccessInput, { typed: { is_free, expires_at } });
        await answerRequest(visit, form, { kind: "approve", ...terms });
        return gone(visit, "reader_granted");
      },
    },
    decline: {
      confirm(form) {
        declineOf(form);
        return `The request from ${form.text("account_name")} will be declined ${form.given("reason") === undefined ? "without a reason" : "with your reason"}. The account can ask again after 7 days. You can grant it access at any time.`;
      },
      async run(visit, form) {
        await answerRequest(visit, form, { kind: "decline", ...declineOf(form) });
        return gone(visit, "access_declined");
      },
    },
    grant: { run: setTerms },
    change: { run: setTerms },
    end: {
      confirm: (form) =>
        `The access of ${form.text("account_name")} will end. Its next read will be refused and its open streams closed, unless it has bought the feed or the feed is open.`,
      async run(visit, form) {
        await removeReader(visit.services, await ownedBy(visit), {
          accountId: form.text("account_id"),
          actor: visit.actor,
        });
        return gone(visit, "reader_ended");
      },
    },
    invite: {
      confirm(form) {
        const { address } = requireAddress(invitationOf(form).address);
        return `${address} will be invited for ${INVITATION_DAYS} days. When the invitee verifies this address, their account is granted access.`;
      },
      async run(visit, form) {
        const invited = { input: invitationOf(form), actor: visit.actor };
        await inviteReader(visit.services, await ownedBy(visit), invited);
        return gone(visit, "reader_invited");
      },
    },
    withdraw: {
      confirm: (form) => `The invitation of ${form.text("address")} will be withdrawn.`,
      async run(visit, form) {
        const invitationId = form.text("invitation_id");
        await withdrawReaderInvitation(visit.services, await ownedBy(visit), invitationId);
        return gone(visit, "withdrawn");
      },
    },
  },
};

const LEADS: Readonly<Record<FeedAccess, string>> = {
  open: "Every account can read this feed, so a grant changes only the price of reads. If you restrict the feed later, these accounts keep their access.",
  by_request:
    "Accounts ask for access, and you decide. You can also grant an account access before it asks, or invite an address.",
  invited:
    "Only these accounts can find and read the feed. Invite an address, or grant an account access.",
};

/** The requests that wait, and the grant that is being changed. */
async function readWaiting({ services, query }: Visit, form: Form | undefined, owned: OwnedFeed) {
  const place = (name: string) => query.get(name)?.trim() || undefined;
  const changedId = form?.text("act") === "change" ? form.text("account_id") : place("edit");
  const [waiting, changed] = await Promise.all([
    listAccessRequests(services, owned, {
      limit: REQUESTS_LISTED,
      cursor: place("waiting"),
      status: "waiting",
    }),
    changedId === undefined ? undefined : findReader(services, owned, changedId),
  ]);
  return { waiting, changed };
}

type Admitted = () => Promise<OwnedFeed>;

/** The tables of a page are one call of the account. */
function admittedOnce(visit: Visit): Admitted {
  return once(() => ownedBy(visit, "feeds"));
}

async function ownedBy(visit: Visit, operation: "feeds" | "save" = "save") {
  const { accountId } = await visit.admit(operation);
  return { accountId, reference: idOf(visit) };
}

function gone(visit: Visit, done: Done): Acted {
  return { kind: "go", to: `feeds/${idOf(visit)}/readers`, done };
}

async function setTerms(visit: Visit, form: Form): Promise<Acted> {
  const terms = inputOf(SetReaderInput, { typed: termsIn(form) });
  const set = { accountId: form.text("account_id"), terms, actor: visit.actor };
  await setReader(visit.services, await ownedBy(visit), set);
  return gone(visit, form.text("act") === "change" ? "edited" : "reader_granted");
}

function declineOf(form: Form) {
  const reason = form.given("reason");
  return inputOf(DeclineAccessInput, { typed: reason === undefined ? {} : { reason } });
}

function invitationOf(form: Form) {
  return inputOf(InviteReaderInput, {
    typed: { address: form.text("address"), ...termsIn(form) },
  });
}

async function answerRequest(
  visit: Visit,
  form: Form,
  answer: Parameters<typeof answerAccessRequest>[2]["answer"],
): Promise<void> {
  const answered = { requestId: form.text("request_id"), answer, actor: visit.actor };
  await answerAccessRequest(visit.services, await ownedBy(visit), answered);
}

/** What was typed into a form of the page, if it is the one of this act, and of this request. */
function typedInto(form: Form | undefined, act: string, requestId = ""): Form | undefined {
  const isOwn = form?.text("act") === act && form.text("request_id") === requestId;
  return isOwn ? form : undefined;
}

interface WaitingRequestsProps {
  readonly requests: readonly AccessRequest[];
  readonly form: Form | undefined;
}

function WaitingRequests({ requests, form }: WaitingRequestsProps) {
  if (requests.length === 0) {
    return <div class="empty">No pending requests.</div>;
  }
  return (
    <>
      {requests.map((request) => (
        <WaitingRequest of={request} form={form} />
      ))}
    </>
  );
}

function WaitingRequest({
  of,
  form,
}: {
  readonly of: AccessRequest;
  readonly form: Form | undefined;
}) {
  const { request_id: id, account_name: name } = of;
  const declined = typedInto(form, "decline", id);
  return (
    <article class="card request">
      <h3>
        <Text of={name} />
      </h3>
      <p class="soft small">
        Requested <Time of={of.asked_at} /> by account <code>{of.account_id}</code>
      </p>
      {of.message === null ? (
        <p class="soft">No message.</p>
      ) : (
        <p class="words">
          <Text of={of.message} />
        </p>
      )}
      <form method="post" class="line">
        <input type="hidden" name="request_id" value={id} />
        <TermsFields form={typedInto(form, "approve", id)} />
        <button type="submit" name="act" value="approve">
          Approve
        </button>
      </form>
      <details open={declined !== undefined}>
        <summary>Decline</summary>
        <form method="post" class="stack">
          <input type="hidden" name="request_id" value={id} />
          <input type="hidden" name="account_name" value={name} />
          <label>
            Reason (optional, shown to the account)
            <textarea name="reason">{`\n${declined?.typed("reason") ?? ""}`}</textarea>
          </label>
          <div class="actions">
            <button class="danger" type="submit" name="act" value="decline">
              Decline
            </button>
          </div>
        </form>
      </details>
    </article>
  );
}

function tablesOf(visit: Visit, owned: Admitted) {
  return {
    readers: readersTable(visit, owned),
    answered: answeredTable(visit, owned),
    invitations: invitationsTable(visit, owned),
  };
}

function answeredTable(visit: Visit, owned: Admitted): ListedTable {
  return listedTable<AccessRequest>(visit, {
    name: "answered",
    label: "Answered requests",
    rows: REQUESTS_LISTED,
    by: "answered",
    next: "Older answers",
    empty: "No answered requests.",
    async read(part) {
      const asked = { ...part, status: "answered" };
      const page = await listAccessRequests(visit.services, await owned(), asked);
      const { requests, next_cursor } = page;
      return { entries: requests, nextCursor: next_cursor };
    },
    columns: [
      ...accountColumns<AccessRequest>(),
      {
        head: "Answer",
        text: (row) => row.status,
        cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{status}</Badge>,
      },
      { head: "Requested", kind: "when", isInFileOnly: true, text: (row) => row.asked_at },
      { head: "Answered", kind: "when", text: (row) => row.answered_at },
      { head: "Reason", text: (row) => row.reason, cell: (row) => <Words of={row.reason} /> },
      { head: "Message", text: (row) => row.message, cell: (row) => <Words of={row.message} /> },
    ],
    buttons: [
      {
        head: "Actions",
        cell: (row) =>
          row.status === "declined" && (
            <a href={`?${new URLSearchParams({ grant: row.account_id })}#grant`}>Grant access</a>
          ),
      },
    ],
  });
}

function readersTable(visit: Visit, owned: Admitted): ListedTable {
  return listedTable<Reader>(visit, {
    name: "readers",
    label: "Accounts with access",
    rows: READERS_LISTED,
    next: "Older grants",
    empty: "No accounts have been granted access.",
    async read(part) {
      const { readers, next_cursor } = await listReaders(visit.services, await owned(), part);
      return { entries: readers, nextCursor: next_cursor };
    },
    columns: [
      ...accountColumns<Reader>(),
      ...TERMS,
      { head: "Since", kind: "when", text: (row) => row.granted_at },
    ],
    buttons: [
      {
        head: "Actions",
        cell: (row) => (
          <div class="row-acts">
            <a class="button quiet" href={`?edit=${row.account_id}`}>
              Change
            </a>
            <ActForm
              hidden={{ account_id: row.account_id, account_name: row.account_name }}
              buttons={[{ act: "end", text: "End access", tone: "danger" }]}
            />
          </div>
        ),
      },
    ],
  });
}

function invitationsTable(visit: Visit, owned: Admitted): ListedTable {
  return listedTable<ReaderInvitation>(visit, {
    name: "invitations",
    label: "Invited addresses",
    rows: INVITATIONS_LISTED,
    by: "offset",
    next: "More invitations",
    empty: "No pending invitations.",
    async read({ limit, cursor = "0" }) {
      const all = await listReaderInvitations(visit.services, await owned());
      const offset = parseOffset(cursor);
      const next = offset + limit;
      return {
        entries: all.slice(offset, next),
        nextCursor: next < all.length ? String(next) : null,
      };
    },
    columns: [
      { head: "Address", text: (row) => row.address },
      ...TERMS,
      { head: "Invitation expires", kind: "when", text: (row) => row.ends_at },
    ],
    buttons: [
      {
        head: "Withdraw",
        cell: (row) => (
          <ActForm
            hidden={{ invitation_id: row.id, address: row.address }}
            buttons={[{ act: "withdraw", text: "Withdraw", tone: "quiet" }]}
          />
        ),
      },
    ],
  });
}

type Named = Pick<Reader, "account_id" | "account_name">;

function accountColumns<Of extends Named>(): readonly ListedColumn<Of>[] {
  return [
    {
      head: "Account",
      text: (row) => row.account_name,
      cell: (row) => <Account id={row.account_id} name={row.account_name} />,
    },
    { head: "Account ID", kind: "id", isInFileOnly: true, text: (row) => row.account_id },
  ];
}

/** How an account may read, or whoever accepts an invitation. */
const TERMS: readonly ListedColumn<Pick<Reader, "is_free" | "expires_at" | "note">>[] = [
  { head: "Reads", text: (row) => readsText(row.is_free) },
  {
    head: "Access expires",
    kind: "when",
    text: (row) => row.expires_at,
    cell: (row) => <End of={row.expires_at} />,
  },
  { head: "Note", text: (row) => row.note, cell: (row) => <Words of={row.note} /> },
];

function Account({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <>
      <Text of={name} />
      <br />
      <code class="small soft">{id}</code>
    </>
  );
}

function ChangeForm({ of, form }: { readonly of: Reader; readonly form: Form | undefined }) {
  return (
    <>
      <h2>
        Change access for <Text of={of.account_name} />
      </h2>
      <form method="post" class="stack">
        <input type="hidden" name="account_id" value={of.account_id} />
        <TermsFields of={of} form={typedInto(form, "change")} hasNote />
        <div class="actions">
          <button type="submit" name="act" value="change">
            Save
          </button>
          <a class="button quiet" href="?">
            Cancel
          </a>
        </div>
      </form>
    </>
  );
}

interface GrantFormProps {
  readonly form: Form | undefined;
  /** Of the page's address. */
  readonly accountId: string;
}

function GrantForm({ form, accountId }: GrantFormProps) {
  const typed = typedInto(form, "grant");
  return (
    <details class="folded" id="grant" open={typed !== undefined || accountId !== ""}>
      <summary>Grant access to an account</summary>
      <form method="post" class="stack">
        <label>
          Account ID (shown to the reader under Account in the console)
          <input
            name="account_id"
            value={typed?.text("account_id") ?? accountId}
            autoComplete="off"
            spellcheck={false}
            required
          />
        </label>
        <TermsFields form={typed} hasNote />
        <div class="actions">
          <button type="submit" name="act" value="grant">
            Grant access
          </button>
        </div>
      </form>
    </details>
  );
}

function InviteForm({ form }: { readonly form: Form | undefined }) {
  const typed = typedInto(form, "invite");
  return (
    <details class="folded" open={typed !== undefined}>
      <summary>Invite an address</summary>
      <form method="post" class="stack">
        <label>
          Email address
          <input name="address" value={typed?.text("address") ?? ""} autoComplete="off" required />
        </label>
        <TermsFields form={typed} hasNote />
        <div class="actions">
          <button type="submit" name="act" value="invite">
            Invite
          </button>
        </div>
      </form>
    </details>
  );
}

/**
 * Invitations of email addresses to read a feed: whoever verifies an invited address gets a grant for their account.
 * See `src/spec/beyond.md`, section 18.
 *
 * @module
 */
import type { Actor } from "../accounts/actor.ts";
import { Problem } from "../http/problem_details.ts";
import { present } from "../lib/assert.ts";
import { parseUuid } from "../lib/uuid.ts";
import {
  INVITATION_DAYS,
  INVITATION_MAILS_LIMIT,
  INVITATIONS_OF_ADDRESS_LIMIT,
  READER_INVITATIONS_MAX,
} from "../limits.ts";
import type { InputOf } from "../operator/operator.ts";
import { readerInvitationMail } from "../people/mail/templates.tsx";
import { requireAddress } from "../people/members.ts";
import type { InviteReaderInput, ReaderInvitation } from "./access_shapes.ts";
import {
  type AccessServices,
  endPassed,
  type OwnedFeed,
  requireOwned,
  termsOf,
} from "./owned_feed.ts";

/** Invites an address. Whoever verifies it can accept for their account. @throws {Problem|Refused} 403, 409, 422 */
export async function inviteReader(
  services: AccessServices,
  owned: OwnedFeed,
  { input, actor }: { readonly input: InputOf<typeof InviteReaderInput>; readonly actor: Actor },
): Promise<ReaderInvitation> {
  const { feedId } = await requireOwned(services, owned);
  const { address, key } = requireAddress(input.address);
  const terms = termsOf(input);
  if (terms.expires_at !== null && Date.parse(terms.expires_at) <= Date.now()) throw endPassed();
  const { database, http, config } = services;
  const row = present(
    await database.row("find_feed_row", {
      feed_id: feedId,
      endpoint_path: null,
      active_only: false,
      reader_id: null,
    }),
  );
  const mail =
    config.mail &&
    readerInvitationMail({
      feedName: row.name,
      providerName: row.account_name,
      signInUrl: `${http.baseUrl()}/console/sign-in`,
      days: INVITATION_DAYS,
    });
  const { outcome, ...invited } = present(
    await database.row("invite_reader", {
      feed_id: feedId,
      address,
      address_key: key,
      ...terms,
      lifetime: `${INVITATION_DAYS} days`,
      invitations_max: READER_INVITATIONS_MAX,
      address_max: INVITATIONS_OF_ADDRESS_LIMIT,
      account_max: INVITATION_MAILS_LIMIT,
      mail_subject: mail?.subject ?? null,
      mail_text: mail?.text ?? null,
      mail_html: mail?.html ?? null,
      actor,
    }),
  );
  if (outcome === "limited") {
    throw new Problem("INVITATIONS_LIMIT", {
      detail: `The feed has reached its limit of ${READER_INVITATIONS_MAX} open invitations. Withdraw one first.`,
    });
  }
  services.mail?.wake();
  // The values of the insert, because the invitation may already be withdrawn.
  return {
    id: present(invited.invitation_id),
    address: present(invited.address),
    is_free: present(invited.is_free),
    expires_at: invited.expires_at,
    note: invited.note,
    ends_at: present(invited.ends_at),
  };
}

/** Invitations that can still be accepted. @throws {Problem} 403 */
export async function listReaderInvitations(
  services: AccessServices,
  owned: OwnedFeed,
): Promise<readonly ReaderInvitation[]> {
  const { feedId } = await requireOwned(services, owned);
  const rows = await services.database.rows("list_reader_invitations", { feed_id: feedId });
  return rows.map(({ invitation_id: id, ...row }) => ({ id, ...row }));
}

/** @throws {Problem} 403, 404 */
export async function withdrawReaderInvitation(
  services: AccessServices,
  owned: OwnedFeed,
  given: string,
): Promise<void> {
  const { feedId } = await requireOwned(services, owned);
  const invitationId = parseUuid(given);
  const withdrawn =
    invitationId &&
    (await services.database.row("withdraw_reader_invitation", {
      feed_id: feedId,
      invitation_id: invitationId,
    }));
  if (withdrawn) return;
  throw new Problem("INVITATION_NOT_FOUND", {
    detail: "This feed has no open invitation with this id. List them to see those that are open.",
  });
}

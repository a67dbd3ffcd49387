/**
 * A member's choices of notices by email: immediately, in a daily digest, or never.
 *
 * @module
 */
import { nameIn } from "../lib/assert.ts";
import type { Database } from "../postgres/client/database.ts";
import { MAILED_TYPES, mayName, NOTICE_TYPE_NAMES, type NoticeTypeName } from "./notice_types.ts";

export const MAIL_CHOICES = ["at_once", "daily", "never"] as const;
export type MailChoice = (typeof MAIL_CHOICES)[number];

/** The types that members can receive by email. */
export const MEMBER_TYPES: readonly NoticeTypeName[] = NOTICE_TYPE_NAMES.filter(
  (type) => mayName("read", type) || mayName("write", type),
);

interface Member {
  readonly accountId: string;
  readonly personId: string;
}

/** The member's choice for each type, or its default. */
export async function readMailChoices(
  database: Database,
  { accountId, personId }: Member,
): Promise<ReadonlyMap<NoticeTypeName, MailChoice>> {
  const rows = await database.rows("list_mail_choices", {
    account_id: accountId,
    person_id: personId,
  });
  const chosen = new Map(rows.map(({ type, choice }) => [type, nameIn(MAIL_CHOICES, choice)]));
  return new Map(
    MEMBER_TYPES.map((type) => [
      type,
      chosen.get(type) ?? (MAILED_TYPES.includes(type) ? "at_once" : "never"),
    ]),
  );
}

/** Sets the choice for the given types. */
export async function setMailChoices(
  database: Database,
  { accountId, personId }: Member,
  { types, choice }: { readonly types: readonly NoticeTypeName[]; readonly choice: MailChoice },
): Promise<void> {
  if (types.length === 0) return;
  await database.rows("set_mail_choices", {
    account_id: accountId,
    person_id: personId,
    types: [...types],
    choice,
  });
}

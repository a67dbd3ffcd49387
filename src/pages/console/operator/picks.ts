/**
 * Finds the account or feed that a person has typed into a form: an id, a complete name or slug, or a part of one. If
 * several match, the person chooses.
 *
 * @module
 */
import { dayOf } from "../../../lib/utc_day.ts";
import { parseUuid } from "../../../lib/uuid.ts";
import { nanosOfCredits } from "../../../money/money.ts";
import { type AccountOutcome, listAccounts, searchAccounts } from "../../../operator/accounts.ts";
import { searchFeeds } from "../../../operator/feeds.ts";
import { findAccount, findFeed } from "../../../operator/references.ts";
import { Refused } from "../../../operator/refused.ts";
import { plain } from "../../layout/parts.tsx";
import { usdWords } from "../amounts.ts";
import type { Choice, Form, Visit } from "../visit.ts";

/** Of a choice. More are found by more of the name. */
const CHOICES_MAX = 20;
/** In the lists of inputs. */
const SUGGESTED_MAX = 50;

export interface Picked {
  readonly kind: "picked";
  readonly id: string;
  readonly name: string;
}

/** @throws {Refused} if nothing matches */
export async function pickAccount(
  { operator }: Visit,
  form: Form,
  field: string,
): Promise<Picked | Choice> {
  const typed = form.text(field);
  if (parseUuid(typed) !== undefined) {
    const row = await findAccount(operator.database, typed);
    return { kind: "picked", id: row.account_id, name: row.name };
  }
  const exact = await listAccounts(operator, { name: typed, limit: CHOICES_MAX });
  const { entries } =
    exact.entries.length > 0
      ? exact
      : await searchAccounts(operator, { part: typed, order: "name", limit: CHOICES_MAX });
  const [first] = entries;
  if (first === undefined || typed === "") {
    throw new Refused("ACCOUNT_NOT_FOUND", `there is no account "${typed}"`);
  }
  if (entries.length === 1) return { kind: "picked", id: first.id, name: first.name };
  return {
    kind: "choose",
    field,
    sentence: `Several accounts match “${typed}”. Which one is it?`,
    choices: entries.map((row) => ({ value: row.id, text: row.name, note: noteOf(row) })),
  };
}

function noteOf(row: AccountOutcome): string {
  const state =
    row.closed_at !== undefined
      ? ", closed"
      : row.suspension_reason !== undefined
        ? ", suspended"
        : "";
  const balance = usdWords(nanosOfCredits(plain(row.balance_credits)) ?? 0n);
  return `${balance}, created ${dayOf(row.created_at)}, ${row.id}${state}`;
}

/** @throws {Refused} if nothing matches */
export async function pickFeed(
  { operator }: Visit,
  form: Form,
  field: string,
): Promise<Picked | Choice> {
  const typed = form.text(field);
  try {
    const row = await findFeed(operator.database, typed);
    return { kind: "picked", id: row.feed_id, name: row.name };
  } catch (error) {
    if (!(error instanceof Refused) || typed === "") throw error;
    const { entries } = await searchFeeds(operator, { part: typed, limit: CHOICES_MAX });
    const [first] = entries;
    if (first === undefined) throw error;
    const exact = entries.filter(({ name }) => name === typed);
    const only = exact.length === 1 ? exact[0] : entries.length === 1 ? first : undefined;
    if (only !== undefined) return { kind: "picked", id: only.feed_id, name: only.name };
    return {
      kind: "choose",
      field,
      sentence: `Several feeds match “${typed}”. Which one is it?`,
      choices: entries.map((row) => ({
        value: row.feed_id,
        text: row.name,
        note: `${row.endpoint_path ?? "no slug"}, of ${row.account_name}`,
      })),
    };
  }
}

/** Longer texts are no name. */
const PART_LENGTH_MAX = 200;

/** The part of a name that a page's address asks for; "" if it asks for none. */
export function partOf({ query }: Visit): string {
  return (query.get("q") ?? "").trim().slice(0, PART_LENGTH_MAX).toWellFormed();
}

export type Suggested = "accounts" | "feeds";

/** Names that begin an input's list: those that match, or the newest. */
export async function suggest(
  { operator }: Visit,
  of: Suggested,
  part: string,
): Promise<readonly string[]> {
  if (of === "accounts") {
    const search = { ...(part !== "" && { part }), order: "newest", limit: SUGGESTED_MAX } as const;
    const { entries } = await searchAccounts(operator, search);
    return [...new Set(entries.map(({ name }) => name))];
  }
  const { entries } = await searchFeeds(operator, { part, limit: SUGGESTED_MAX });
  return entries.map(({ endpoint_path: slug, name }) => slug ?? name);
}

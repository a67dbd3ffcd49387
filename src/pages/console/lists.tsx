/** @jsxImportSource preact */
/**
 * Parts of lists on pages: the position in a list, the link to the next page, and links to the things that entries
 * refer to.
 *
 * @module
 */
import { invalidParameter } from "../../api/input/parameters.ts";
import { Text } from "../layout/parts.tsx";
import type { Role } from "./sessions.ts";
import type { Visit } from "./visit.ts";

export interface ListPlace {
  readonly limit: number;
  readonly names?: readonly string[];
  /** What the page's address calls the list's cursor, if the page has several lists. @default "cursor" */
  readonly by?: string;
}

/** The query of a list: what the page's own address has of these names, and its place in the list. */
export function listQuery({ query }: Visit, { limit, names = [], by }: ListPlace): string {
  const asked = new URLSearchParams({ limit: String(limit) });
  const set = (name: string, from = name) => {
    const value = query.get(from)?.trim();
    if (value) asked.set(name, value);
  };
  for (const name of [...names, "offset"]) set(name);
  set("cursor", by);
  return `?${asked}`;
}

interface NextProps {
  readonly visit: Visit;
  /** Null on the last page. */
  readonly cursor: string | null;
  /** What the page's address calls the list's place. @default "cursor" */
  readonly by?: string;
  readonly text?: string;
}

/** Where a list goes on: the page's own address with another cursor. */
export function Next({ visit, cursor, by = "cursor", text = "Next page" }: NextProps) {
  if (cursor === null) return null;
  const next = new URLSearchParams(visit.query);
  next.delete("done");
  next.set(by, cursor);
  return (
    <p class="pager">
      <a class="button quiet" href={`?${next}`}>
        {text}
      </a>
    </p>
  );
}

/** The next place in a list that is paged by offset. */
export function nextOffset(
  { query }: Visit,
  { shown, hasMore }: { readonly shown: number; readonly hasMore: boolean },
): string | null {
  return hasMore ? String(Number(query.get("offset") ?? 0) + shown) : null;
}

/** The place in a list that is paged by offset. @throws {Problem} 400 */
export function offsetOf({ query }: Visit): number {
  return parseOffset(query.get("offset")?.trim() || "0");
}

/** @throws {Problem} 400 */
export function parseOffset(text: string): number {
  const offset = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(offset)) return offset;
  throw invalidParameter("offset must be an integer of at least 0.", "offset");
}

interface LinkProps {
  readonly visit: Visit;
  readonly id: string;
  /** @default the beginning of the id */
  readonly name?: string | null | undefined;
}

const FEED_PAGES: Readonly<Record<Role, string>> = {
  admin: "feeds",
  write: "feeds",
  read: "catalog",
};

interface FeedLinkProps extends LinkProps {
  /** Whether the visitor may see its page. @default true */
  readonly hasPage?: boolean;
}

/** A feed, which leads to its page as the visitor may see it, if there is one. */
export function FeedLink({ visit, id, name, hasPage = true }: FeedLinkProps) {
  const called = name ? <Text of={name} /> : <ShortId of={id} />;
  if (!hasPage) return called;
  return <a href={`${visit.root}/console/${FEED_PAGES[visit.session.role]}/${id}`}>{called}</a>;
}

/** An account, which leads to its page. */
export function AccountLink({ visit, id, name }: LinkProps) {
  return (
    <a href={`${visit.root}/console/accounts/${id}`}>
      {name ? <Text of={name} /> : <ShortId of={id} />}
    </a>
  );
}

const SHORT_LENGTH = 8;

function ShortId({ of }: { readonly of: string }) {
  return <code>{of.slice(0, SHORT_LENGTH)}…</code>;
}

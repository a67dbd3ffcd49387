/** @jsxImportSource preact */
/**
 * Who may read a feed, in words.
 *
 * @module
 */
import type { FeedAccess } from "../../admission/claims.ts";
import { Badge } from "./parts.tsx";

export const ACCESS_NAMES: Readonly<Record<FeedAccess, string>> = {
  open: "open",
  by_request: "by request",
  invited: "invited accounts only",
};

export function AccessBadge({ of }: { readonly of: FeedAccess }) {
  return <Badge>{ACCESS_NAMES[of]}</Badge>;
}

/** The same in a list, where an open feed has no mark. */
export function AccessMark({ of }: { readonly of: FeedAccess | undefined }) {
  return of === undefined || of === "open" ? null : <AccessBadge of={of} />;
}

/** @jsxImportSource preact */
/**
 * The status of the provider's own feed. A suspension takes precedence over the status that the provider has set.
 *
 * @module
 */
import { Badge } from "../../layout/parts.tsx";
import type { OwnFeed } from "./find_own.ts";

export function OwnStatus({ of: feed }: { readonly of: OwnFeed }) {
  if (feed.suspension_reason !== undefined) return <Badge tone="bad">suspended</Badge>;
  return <Badge tone={feed.status === "active" ? "good" : "plain"}>{feed.status}</Badge>;
}

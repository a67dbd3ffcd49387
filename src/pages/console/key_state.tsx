/** @jsxImportSource preact */
/**
 * Whether a key works.
 *
 * @module
 */
import { Badge } from "../layout/parts.tsx";

interface Lifetime {
  readonly revoked_at: string | null;
  readonly expires_at: string | null;
}

export function KeyState({ of: key }: { readonly of: Lifetime }) {
  if (key.revoked_at !== null) return <Badge tone="bad">revoked</Badge>;
  if (key.expires_at !== null && Date.parse(key.expires_at) < Date.now()) {
    return <Badge>expired</Badge>;
  }
  return <Badge tone="good">works</Badge>;
}

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

type State = "revoked" | "expired" | "active";

const TONES = { revoked: "bad", expired: "plain", active: "good" } as const;

export function KeyState({ of: key }: { readonly of: Lifetime }) {
  const state = stateOfKey(key);
  return <Badge tone={TONES[state]}>{state}</Badge>;
}

export function stateOfKey({ revoked_at: revoked, expires_at: end }: Lifetime): State {
  if (revoked !== null) return "revoked";
  return end !== null && Date.parse(end) < Date.now() ? "expired" : "active";
}

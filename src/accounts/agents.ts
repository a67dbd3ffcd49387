/**
 * The agents that an account's users have connected by OAuth. Each is a key with a budget and an expiry.
 *
 * See `src/spec/beyond.md`, section 14.
 *
 * @module
 */
import { AGENTS_MAX } from "../limits.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import type { Actor } from "./actor.ts";

/** A connected agent whose key is valid. Its spending is that of the current day. */
export type Agent = Row<"list_agents">;

/** The agents that a caller may see and end. */
export interface Whose {
  readonly accountId: string;
  /** If the caller is an agent, the chain of its own keys: it may see and end only itself. Null means all agents. */
  readonly chainId: string | null;
}

/** Newest first. */
export function listAgents(
  database: Pick<Database, "rows">,
  { accountId, chainId }: Whose,
): Promise<readonly Agent[]> {
  return database.rows("list_agents", {
    account_id: accountId,
    chain_id: chainId,
    limit: AGENTS_MAX,
  });
}

/** Ends an agent. True if it has ended, now or before. False if no agent has this key. */
export async function endAgent(
  database: Pick<Database, "row">,
  { accountId, chainId, keyId }: Whose & { readonly keyId: string },
  actor: Actor,
): Promise<boolean> {
  const ended = await database.row("end_agent", {
    account_id: accountId,
    chain_id: chainId,
    key_id: keyId,
    actor,
  });
  return ended !== undefined;
}

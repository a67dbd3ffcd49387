/**
 * The agents that an account's people have connected by OAuth. Each is a key with a budget and an end. Beyond 14.
 *
 * @module
 */
import { AGENTS_MAX } from "../limits.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import type { Actor } from "./actor.ts";

/** A connected agent whose key holds. What it has spent is of today. */
export type Agent = Row<"list_agents">;

/** Which agents a caller may see and end. */
export interface Whose {
  readonly accountId: string;
  /** The chain of the caller's own keys if it is an agent, which may see and end itself only; null: all agents. */
  readonly chainId: string | null;
}

/** The newest first. */
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

/** Ends an agent, now or before. False if there is none with this key. */
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

/**
 * The agents that an account's people have connected by OAuth. Each is a key with a budget and an end. Beyond 14.
 *
 * @module
 */
import { AGENTS_MAX } from "../limits.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import type { Actor } from "./actor.ts";

/** A connected agent whose key holds. What it has spent is of today. */
export type Agent = Row<"list_agents">;

/** The newest first. */
export function listAgents(
  database: Pick<Database, "rows">,
  accountId: string,
): Promise<readonly Agent[]> {
  return database.rows("list_agents", { account_id: accountId, limit: AGENTS_MAX });
}

/** Ends an agent of the account, now or before. False if it has none with this key. */
export async function endAgent(
  database: Pick<Database, "row">,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  actor: Actor,
): Promise<boolean> {
  const ended = await database.row("end_agent", { account_id: accountId, key_id: keyId, actor });
  return ended !== undefined;
}

/**
 * A consumer ends an agent that was connected to its account.
 *
 * @module
 */
import type { Actor } from "../accounts/actor.ts";
import { endAgent } from "../accounts/agents.ts";
import { type Principal, whoseOf } from "../api/callers/callers.ts";
import { Problem } from "../http/problem_details.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Database } from "../postgres/client/database.ts";

interface EndedAgent {
  /** Of a key that was proven. */
  readonly principal: Principal;
  /** The agent's key, as it was given. */
  readonly keyId: string;
}

/** An agent that was ended before stays so. @throws {Problem} 404 for one that the caller may not see */
export async function endOwnAgent(
  database: Database,
  { principal, keyId: given }: EndedAgent,
  actor: Actor,
): Promise<void> {
  const keyId = parseUuid(given);
  const isEnded =
    keyId !== undefined && (await endAgent(database, { ...whoseOf(principal), keyId }, actor));
  if (isEnded) return;
  throw new Problem("KEY_NOT_FOUND", {
    detail:
      "There is no connected agent with this key. GET /v1/account lists the agents you can disconnect.",
  });
}

/**
 * Ends an agent that is connected to the caller's account.
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
  /** Caller whose key was proven. */
  readonly principal: Principal;
  /** The agent's key id, as sent. */
  readonly keyId: string;
}

/** Ends an agent. Has no effect the second time. @throws {Problem} 404 for an agent that the caller may not see */
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

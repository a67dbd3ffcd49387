/**
 * The agent that is waiting while someone signs in to connect it.
 *
 * @module
 */
import { parseUuid } from "../../lib/uuid.ts";
import type { Queries } from "../../postgres/client/database.ts";

export interface WaitingAgent {
  readonly name: string;
  /** Whether the name is that of the site that asks; otherwise, nobody has checked it. */
  readonly isSite: boolean;
}

/** Where the consent page is. */
const CONSENT = "/oauth/authorize?";
const NAME_LENGTH_MAX = 80;

/** @param next where the sign-in goes on */
export async function waitingAgent(
  database: Pick<Queries, "row">,
  next: string | undefined,
): Promise<WaitingAgent | undefined> {
  if (!next?.startsWith(CONSENT)) return undefined;
  const client = new URLSearchParams(next.slice(CONSENT.length)).get("client_id") ?? "";
  const clientId = parseUuid(client);
  if (clientId !== undefined) {
    const found = await database.row("find_client", { client_id: clientId });
    const name = found?.client_name?.slice(0, NAME_LENGTH_MAX).toWellFormed();
    return name ? { name, isSite: false } : undefined;
  }
  const url = URL.parse(client);
  return url?.protocol === "https:" ? { name: url.host, isSite: true } : undefined;
}

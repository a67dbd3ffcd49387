/**
 * Decides whether agents can be connected here, and from where.
 *
 * @module
 */

import { isOwnMachine } from "../api/callers/operators_listener.ts";
import { type Config, listenerUrl } from "../config.ts";
import { Problem } from "../http/problem_details.ts";

/** `own_machine`: a key would cross a network unencrypted, so only callers on this machine may connect. */
export type ConnectReach = "everybody" | "own_machine" | "nobody";

export function connectReach(
  config: Pick<Config, "isConnectOn" | "hasConsole" | "baseUrl" | "tls" | "host" | "port">,
): ConnectReach {
  // The consent page is part of the console.
  if (!config.isConnectOn || !config.hasConsole) return "nobody";
  // The host may be missing, which the start reports later.
  const isSecure = (config.baseUrl ?? listenerUrl(config)).startsWith("https:");
  return isSecure ? "everybody" : "own_machine";
}

/** Refuses callers whose key would cross the network unencrypted. @throws {Problem} 404 to callers on other machines */
export function requireOwnMachine(request: Request, address: string): void {
  if (isOwnMachine(request, address)) return;
  throw new Problem("ROUTE_NOT_FOUND", {
    detail:
      "Without an https address, agents can be connected only from the gateway's own machine, and not through a proxy. The operator can set FEEDGATE_BASE_URL.",
  });
}

/**
 * `POST /oauth/register`: registers a program (RFC 7591). Registration is open, so it is limited by address, and unused
 * clients are removed after a day.
 *
 * Whatever a program requests, it becomes a public client: it has no secret, and its codes require a verifier.
 *
 * @module
 */
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { UNUSED_CLIENTS_MAX, YOUNG_CLIENT_SECONDS } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";
import { readClientMetadata } from "./clients.ts";
import { SCOPE } from "./metadata.ts";
import { OAuthError } from "./oauth_error.ts";

/** The body of the 201. @throws {OAuthError} */
export async function registerClient(database: Pick<Database, "row">, body: unknown) {
  const metadata = readClientMetadata(body);
  if (metadata.kind !== "metadata") {
    const isAddress = metadata.kind === "bad_address";
    const code = isAddress ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new OAuthError(code, `The registration can't be used: ${metadata.reason}.`);
  }
  const { name, addresses } = metadata;
  const made = await database.row("register_client", {
    client_name: name,
    redirect_uris: [...addresses],
    unused_max: UNUSED_CLIENTS_MAX,
    young: `${YOUNG_CLIENT_SECONDS} seconds`,
  });
  if (made === undefined) {
    throw new OAuthError(
      "temporarily_unavailable",
      "Too many unused programs are registered. Try again later.",
      503,
      { "Retry-After": String(YOUNG_CLIENT_SECONDS) },
    );
  }
  return {
    client_id: made.client_id,
    client_id_issued_at: Math.floor(Date.parse(made.registered_at) / MS_PER_SECOND),
    client_name: name,
    // What was registered, which may be less than was requested. RFC 7591, 3.2.1.
    redirect_uris: addresses,
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code"],
    response_types: ["code"],
    scope: SCOPE,
  };
}

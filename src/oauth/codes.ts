/**
 * Authorization codes: a user's consent is stored under a code until the program exchanges it for the key. RFC 6749,
 * 4.1.2 and 4.1.3.
 *
 * @module
 */
import type { Actor } from "../accounts/actor.ts";
import { generateKey, hashKey, startOf } from "../accounts/key_format.ts";
import { repeatedName } from "../http/query_string.ts";
import { assert } from "../lib/assert.ts";
import { newToken, sha256 } from "../lib/token.ts";
import { AGENTS_MAX, CONNECT_CODE_AGE } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";
import { SCOPE } from "./metadata.ts";
import { OAuthError } from "./oauth_error.ts";

/** RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** The limits of the key that will be created. */
export interface Consent {
  readonly accountId: string;
  readonly dailyNanos: bigint;
  /** Null means all. */
  readonly feedIds: readonly string[] | null;
  /** RFC 3339. */
  readonly keyEndsAt: string;
  readonly actor: Actor;
  /** The key with which the user has signed in. When it ends, its consents end. */
  readonly agreedKeyId?: string | undefined;
}

/** Creates the code. Undefined if the account has too many agents. */
export async function agree(
  database: Pick<Database, "row">,
  { client, redirectAddress, challenge }: AuthorizationRequest,
  { accountId, dailyNanos, feedIds, keyEndsAt, actor, agreedKeyId }: Consent,
): Promise<string | undefined> {
  const code = newToken();
  const agreed = await database.row("agree_to_connection", {
    code_hash: sha256(code),
    account_id: accountId,
    client_id: client.id,
    client_name: client.name,
    redirect_uri: redirectAddress,
    challenge: Buffer.from(challenge, "base64url"),
    daily_nanos: dailyNanos,
    feed_ids: feedIds && [...feedIds],
    key_ends_at: keyEndsAt,
    actor,
    agreed_key_id: agreedKeyId ?? null,
    agents_max: AGENTS_MAX,
  });
  return agreed && code;
}

/** The body of the answer, with the key, for the form of a token request. @throws {OAuthError} */
export async function redeem(
  database: Pick<Database, "row">,
  form: URLSearchParams,
  resource: string,
) {
  const repeated = repeatedName(form);
  if (repeated !== undefined) throw invalid(`${JSON.stringify(repeated)} is sent more than once.`);
  const one = (name: string) => {
    const value = form.get(name) || undefined;
    // PostgreSQL accepts no NUL in a text.
    if (value?.includes("\0")) throw invalid(`${name} contains a NUL character.`);
    return value;
  };
  const needed = (name: string) => {
    const value = one(name);
    if (value === undefined) throw invalid(`${name} is missing.`);
    return value;
  };
  if (needed("grant_type") !== "authorization_code") {
    throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code.");
  }
  const code = needed("code");
  const clientId = needed("client_id");
  const verifier = needed("code_verifier");
  if (!VERIFIER.test(verifier)) {
    throw invalid("code_verifier must have 43 to 128 letters, digits and -._~.");
  }
  if ((one("resource") ?? resource) !== resource) {
    throw new OAuthError("invalid_target", `resource must be ${resource}.`);
  }
  const key = generateKey("read");
  const row = await database.row("redeem_code", {
    code_hash: sha256(code),
    client_id: clientId,
    redirect_uri: one("redirect_uri") ?? null,
    challenge: sha256(verifier),
    code_age: CONNECT_CODE_AGE,
    key_hash: hashKey(key),
    key_start: startOf(key),
  });
  assert(row !== undefined, "redeem_code returns one row");
  if (row.outcome !== "redeemed" || row.seconds_left === null) {
    throw new OAuthError("invalid_grant", REASONS[row.outcome] ?? UNUSABLE);
  }
  return { access_token: key, token_type: "Bearer", expires_in: row.seconds_left, scope: SCOPE };
}

const UNUSABLE = "The code can't be used. Ask the user again.";
const REASONS: Readonly<Record<string, string>> = {
  unknown: "The code is unknown or was deleted. Ask the user again.",
  repeated: "The code was already used, so its key has been revoked. Ask the user again.",
  expired: "The code is older than 60 seconds. Ask the user again.",
  withdrawn:
    "The key or the user that gave consent no longer has access to the account. Ask the user again.",
  mismatched:
    "The code was issued for a different client_id, redirect_uri or code_verifier, and can no longer be used. Ask the user again.",
};

function invalid(description: string): OAuthError {
  return new OAuthError("invalid_request", description);
}

/**
 * The request of a program that sends a user to the consent page. RFC 6749, 4.1.1; RFC 7636, 4.3; RFC 8707, 2.
 *
 * Unknown parameters are ignored (RFC 6749, 3.1), but none may be repeated. An invalid request never redirects the user
 * automatically, because the author of the link may have registered the address (RFC 9700, 4.11.2).
 *
 * @module
 */
import { repeatedName } from "../http/query_string.ts";
import { CONNECT_STATE_LENGTH_MAX } from "../limits.ts";
import type { Client, Clients } from "./clients.ts";
import { faultOfRedirect, isSameRedirect } from "./redirect_address.ts";

export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectAddress: string;
  /** Returned unchanged. Undefined if none was sent. */
  readonly state: string | undefined;
  /** SHA-256 of the verifier, in base64url. */
  readonly challenge: string;
}

export type ReadRequest =
  | { readonly kind: "request"; readonly request: AuthorizationRequest }
  /** `reason` is a sentence. There is no safe address for an answer. */
  | { readonly kind: "unanswerable"; readonly reason: string }
  /** `address` reports the mistake to the program, if the user follows it. */
  | {
      readonly kind: "mistaken";
      readonly reason: string;
      readonly client: Client;
      readonly address: string;
    };

/** base64url of 32 bytes. */
const CHALLENGE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

interface Around {
  readonly clients: Pick<Clients, "find">;
  /** The account of the user who was sent. */
  readonly accountId: string;
  /** The gateway's issuer address. */
  readonly issuer: string;
  readonly resource: string;
}

export async function readAuthorizationRequest(
  query: URLSearchParams,
  { clients, accountId, issuer, resource }: Around,
): Promise<ReadRequest> {
  const unanswerable = (reason: string): ReadRequest => ({ kind: "unanswerable", reason });
  const one = (name: string) => {
    const [value, second] = query.getAll(name);
    return second === undefined ? value || undefined : undefined;
  };
  const clientId = one("client_id");
  const redirectAddress = one("redirect_uri");
  if (clientId === undefined) return unanswerable("The link must contain exactly one client_id.");
  if (redirectAddress === undefined) {
    return unanswerable("The link must contain exactly one redirect_uri.");
  }
  const found = await clients.find(clientId, accountId);
  if (found.kind === "unknown") return unanswerable(found.reason);
  const { client } = found;
  const fault = faultOfRedirect(redirectAddress);
  if (fault !== undefined) return unanswerable(`The link's redirect_uri ${fault}.`);
  if (!client.redirectAddresses.some((each) => isSameRedirect(each, redirectAddress))) {
    return unanswerable("The link's redirect_uri is not registered for this program.");
  }

  const state = one("state");
  const mistaken = (error: string, reason: string): ReadRequest => {
    const answer = { error, error_description: reason, state, iss: issuer };
    return { kind: "mistaken", reason, client, address: answerAddress(redirectAddress, answer) };
  };
  const repeated = repeatedName(query);
  if (repeated !== undefined) {
    return mistaken(
      "invalid_request",
      `The link contains ${JSON.stringify(repeated)} more than once.`,
    );
  }
  if (state !== undefined && state.length > CONNECT_STATE_LENGTH_MAX) {
    return mistaken(
      "invalid_request",
      `The link's state has more than ${CONNECT_STATE_LENGTH_MAX} characters.`,
    );
  }
  if (one("response_type") !== "code") {
    return mistaken("unsupported_response_type", "The link's response_type must be code.");
  }
  const challenge = one("code_challenge");
  if (one("code_challenge_method") !== "S256" || !CHALLENGE.test(challenge ?? "")) {
    return mistaken(
      "invalid_request",
      "The link must contain a code_challenge made with the code_challenge_method S256.",
    );
  }
  // Programs older than RFC 8707 send none. There is only one resource, so nothing else can be meant.
  if ((one("resource") ?? resource) !== resource) {
    return mistaken("invalid_target", `The link's resource must be ${resource}.`);
  }
  const request = { client, redirectAddress, state, challenge: challenge ?? "" };
  return { kind: "request", request };
}

/** The address that delivers the answer to the program. Undefined values are omitted. RFC 6749, 4.1.2. */
export function answerAddress(
  redirectAddress: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(answer)) {
    if (value !== undefined) added.append(name, value);
  }
  // The program's own query is kept character for character.
  return `${redirectAddress}${redirectAddress.includes("?") ? "&" : "?"}${added}`;
}

/**
 * Sign-in with a verified address, and sign-up with one that belongs to no person yet. See `src/spec/beyond.md`,
 * section 16.
 *
 * Person, account, welcome credits and session are created in one commit, so no sign-up is duplicated or incomplete.
 *
 * @module
 */
import { createHmac } from "node:crypto";
import { rateLimitedHourly } from "../api/callers/rate_headers.ts";
import type { SignUpConfig } from "../config.ts";
import { assert, present } from "../lib/assert.ts";
import { intervalOf } from "../lib/time_units.ts";
import { newToken, sha256 } from "../lib/token.ts";
import { SESSION_MS, SIGN_UPS_OF_NETWORK_LIMIT } from "../limits.ts";
import { nanosOfCredits } from "../money/money.ts";
import type { Database } from "../postgres/client/database.ts";
import { findProof } from "./address_proofs.ts";

const SESSION_LIFETIME = intervalOf(SESSION_MS);

export type Entered =
  /** The token is the session's, for the cookie. */
  | { readonly kind: "entered"; readonly token: string; readonly personId: string }
  /** The address belongs to no person yet. */
  | { readonly kind: "new" }
  /** The address is that of a person who signs in otherwise. */
  | { readonly kind: "other_subject" }
  /** The proof is too old, or used. */
  | { readonly kind: "over" };

/** Signs in the person of a proven address. */
export async function enterByProof(database: Database, proofToken: string): Promise<Entered> {
  const token = newToken();
  const entered = present(
    await database.row("enter_by_proof", {
      proof_hash: sha256(proofToken),
      session_hash: sha256(token),
      lifetime: SESSION_LIFETIME,
    }),
  );
  switch (entered.outcome) {
    case "entered":
      return { kind: "entered", token, personId: present(entered.person_id ?? undefined) };
    case "new":
    case "other_subject":
      return { kind: entered.outcome };
    default:
      return { kind: "over" };
  }
}

interface Joining {
  readonly proofToken: string;
  readonly name: string;
  /** Whether the person has agreed to the operator's terms. */
  readonly hasAgreed: boolean;
  readonly network: string;
}

interface Gateway {
  readonly database: Database;
  readonly signUp: SignUpConfig;
  /** Feeds of a new account. */
  readonly maxFeeds: number;
  /** Names addresses that have had welcome credits. */
  readonly secret: string;
}

export type Joined =
  | Exclude<Entered, { kind: "new" }>
  /** `accountId` is undefined if sign-up does not give the person an account of their own. */
  | {
      readonly kind: "joined";
      readonly token: string;
      readonly personId: string;
      readonly accountId: string | undefined;
    }
  /** Sign-up is not open to the address, and it was not invited. */
  | { readonly kind: "not_invited" }
  /** Today's limit of new accounts has been reached. */
  | { readonly kind: "day_full" };

/**
 * Makes the person of a proven address, with what sign-up gives it, and signs it in.
 *
 * @throws {Problem} 429 if too many people of the network have joined within an hour
 */
export async function joinByProof(
  { database, signUp, maxFeeds, secret }: Gateway,
  { proofToken, name, hasAgreed, network }: Joining,
): Promise<Joined> {
  const proof = await findProof(database, proofToken);
  if (proof === undefined) return { kind: "over" };
  const token = newToken();
  const joined = present(
    await database.row("join_by_proof", {
      proof_hash: sha256(proofToken),
      session_hash: sha256(token),
      lifetime: SESSION_LIFETIME,
      name,
      has_agreed: hasAgreed,
      sign_up: signUp.mode,
      is_own_domain: isCovered(signUp, proof.address),
      feeds_max: maxFeeds,
      network,
      day_max: signUp.dayMax,
      network_max: SIGN_UPS_OF_NETWORK_LIMIT,
      welcome_nanos: nanosOf(signUp.welcomeCredits),
      welcome_day_nanos: nanosOf(signUp.welcomeDayCredits),
      address_hash: hashOfAddress(secret, proof.address),
    }),
  );
  const { outcome, person_id: personId, account_id: accountId } = joined;
  switch (outcome) {
    case "joined":
      return {
        kind: "joined",
        token,
        personId: present(personId ?? undefined),
        accountId: accountId ?? undefined,
      };
    case "entered":
      return { kind: "entered", token, personId: present(personId ?? undefined) };
    case "network_full":
      throw rateLimitedHourly(Number(joined.retry_after_ms), "sign-ups");
    default:
      assert(
        outcome === "not_invited" ||
          outcome === "day_full" ||
          outcome === "other_subject" ||
          outcome === "over",
        `join_by_proof has no other outcome than ${outcome}`,
      );
      return { kind: outcome };
  }
}

/** Whether `open` covers an address. */
function isCovered({ domains }: SignUpConfig, address: string): boolean {
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  return domains === undefined || domains.includes(domain);
}

function nanosOf(credits: number): bigint {
  return present(nanosOfCredits(String(credits)));
}

/** Keyed, so that whoever reads the database can't try addresses. */
function hashOfAddress(secret: string, address: string): Uint8Array {
  return createHmac("sha256", `feedgate welcome ${secret}`).update(address.toLowerCase()).digest();
}

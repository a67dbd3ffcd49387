/**
 * Verification of an email address, by a code that is mailed to it or by an OpenID Connect provider. A proof belongs to
 * the browser that began it: the token is in a cookie there, and only its hash is stored. See `src/spec/beyond.md`,
 * section 16.
 *
 * @module
 */
import { randomInt } from "node:crypto";
import { rateLimitedHourly } from "../api/callers/rate_headers.ts";
import { present } from "../lib/assert.ts";
import type { MailAddress } from "../lib/mail_address.ts";
import { intervalOf, MS_PER_SECOND } from "../lib/time_units.ts";
import { newToken, sha256 } from "../lib/token.ts";
import {
  CODE_DIGITS,
  CODE_MS,
  CODE_TRIES,
  CODES_OF_ADDRESS_LIMIT,
  CODES_OF_NETWORK_LIMIT,
  PROVEN_MS,
} from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";
import { codeMail } from "./mail/templates.tsx";

interface AskedCode {
  readonly address: MailAddress;
  /** Of the browser, as `networkOf` names it. */
  readonly network: string;
  readonly baseUrl: string;
}

/**
 * Mails a code to an address, known or not. Returns the token for the browser's cookie.
 *
 * @throws {Problem} 429 if the address or the network has asked for too many codes within an hour
 */
export async function beginProof(
  database: Database,
  { address: { address, key }, network, baseUrl }: AskedCode,
): Promise<string> {
  const token = newToken();
  const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, "0");
  const minutes = CODE_MS / MS_PER_SECOND / 60;
  const mail = codeMail({ code, minutes, gateway: { baseUrl, name: "Feedgate" } });
  const begun = present(
    await database.row("begin_proof", {
      proof_hash: sha256(token),
      address,
      address_key: key,
      code_hash: hashOfCode(token, code),
      network,
      lifetime: intervalOf(CODE_MS),
      address_max: CODES_OF_ADDRESS_LIMIT,
      network_max: CODES_OF_NETWORK_LIMIT,
      mail_subject: mail.subject,
      mail_text: mail.text,
      mail_html: mail.html,
    }),
  );
  // The same for both limits, so that it does not reveal how often codes for an address were requested elsewhere.
  if (begun.outcome === "limited") throw rateLimitedHourly(Number(begun.retry_after_ms), "codes");
  return token;
}

export type CheckedCode =
  | { readonly kind: "proven" }
  | { readonly kind: "wrong"; readonly triesLeft: number }
  /** There is nothing to try: the code is too old, was tried too often or used, or belongs to another browser. */
  | { readonly kind: "over" };

/** Tries a code in the browser that has the token. Blanks between the digits are ignored. */
export async function checkCode(
  database: Database,
  { token, typed }: { readonly token: string; readonly typed: string },
): Promise<CheckedCode> {
  const checked = await database.row("check_code", {
    proof_hash: sha256(token),
    code_hash: hashOfCode(token, typed.replace(/[\s-]/g, "")),
    tries_max: CODE_TRIES,
    proven_lifetime: intervalOf(PROVEN_MS),
  });
  if (checked === undefined) return { kind: "over" };
  if (checked.is_proven) return { kind: "proven" };
  const { tries_left: triesLeft } = checked;
  return triesLeft === 0 ? { kind: "over" } : { kind: "wrong", triesLeft };
}

interface Vouched {
  readonly address: MailAddress;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | undefined;
  readonly network: string;
}

/** Keeps what an OpenID Connect provider has vouched for. Returns the token for the browser's cookie. */
export async function keepVouchedProof(
  database: Database,
  { address: { address, key }, issuer, subject, name, network }: Vouched,
): Promise<string> {
  const token = newToken();
  await database.row("keep_vouched_proof", {
    proof_hash: sha256(token),
    address,
    address_key: key,
    issuer,
    subject,
    name: name ?? null,
    network,
    lifetime: intervalOf(PROVEN_MS),
  });
  return token;
}

/** The proof of a browser's token. Undefined if it was used or has expired. */
export async function findProof(database: Database, token: string) {
  const row = await database.row("find_address_proof", { proof_hash: sha256(token) });
  return (
    row && {
      address: row.address,
      name: row.name ?? undefined,
      isProven: row.is_proven,
      /** Whether the mail server did not take the mail with the code so far. */
      isLate: row.is_late,
    }
  );
}

/** Includes the token, which only the browser has, so that codes can't be guessed from the database's contents. */
function hashOfCode(token: string, code: string): Uint8Array {
  return sha256(`${token} ${code}`);
}

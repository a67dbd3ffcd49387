/**
 * The format of an API key: `fg_read_`, `fg_write_`, or `fg_admin_`, then 32 random base62 characters, then 6
 * characters of a CRC-32 over everything before. So a mistyped key is refused without a database read, and scanners can
 * find a leaked one.
 *
 * See `src/spec/decisions.md`, section 3.
 *
 * @module
 */
import { hkdfSync, randomInt } from "node:crypto";
import { sha256 } from "../lib/token.ts";

/** Permissions of an account's key. */
export type Permission = "read" | "write";
/** Permissions of any key. An operator's key belongs to no account. */
export type KeyPermission = Permission | "admin";

const KEY_PERMISSIONS: readonly KeyPermission[] = ["read", "write", "admin"];
/** The prefix of every key. */
const KEY_PREFIX = "fg_";
/** Finds possible keys in a text, including mistyped ones. */
export const KEY_PATTERN = /fg_[0-9A-Za-z_]{10,}/g;

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
/** Enough bytes beyond 32 digits that all digits are equally likely. */
const DERIVED_BYTES = 64;
/** Characters of a key that are stored and shown. */
const START_LENGTH = 12;
const BEGINNING = new RegExp(`^${KEY_PREFIX}(read|write|admin)_[0-9A-Za-z]`);
const FORM = new RegExp(`^(${KEY_PREFIX}(read|write|admin)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$`);

/** A new key, from the system's random source. */
export function generateKey(permission: KeyPermission): string {
  let body = `${KEY_PREFIX}${permission}_`;
  for (let length = 0; length < RANDOM_LENGTH; length++) {
    body += DIGITS[randomInt(DIGITS.length)];
  }
  return body + checksum(body);
}

/**
 * The key derived from a name, which is the same in every process with the secret (HKDF, RFC 5869). Without the secret
 * and the name, it can't be distinguished from a random one.
 *
 * @param name at most 1,000 bytes
 */
export function deriveKey(permission: KeyPermission, secret: string, name: string): string {
  const bytes = hkdfSync("sha512", secret, "", `feedgate key: ${name}`, DERIVED_BYTES);
  let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  const base = BigInt(DIGITS.length);
  let body = `${KEY_PREFIX}${permission}_`;
  for (let length = 0; length < RANDOM_LENGTH; length++) {
    body += DIGITS[Number(rest % base)];
    rest /= base;
  }
  return body + checksum(body);
}

/** The permission that a well-formed key claims. Undefined if its format or checksum is wrong. */
export function permissionOf(key: string): KeyPermission | undefined {
  const [, body = "", permission, check] = FORM.exec(key) ?? [];
  if (check === undefined || checksum(body) !== check) return undefined;
  return KEY_PERMISSIONS.find((each) => each === permission);
}

/** Whether a text is the beginning of a key, and longer than the common prefix of a permission's keys. */
export function isKeyBeginning(text: string): boolean {
  return BEGINNING.test(text);
}

/** SHA-256 of a key. Nothing else of the key is stored, except its first characters. */
export function hashKey(key: string): Uint8Array {
  return sha256(key);
}

/** The first characters of a key, which identify it without revealing it. */
export function startOf(key: string): string {
  return key.slice(0, START_LENGTH);
}

/** CRC-32 (IEEE) in base62, most significant digit first, padded with "0". */
function checksum(body: string): string {
  let rest = Bun.hash.crc32(body);
  let digits = "";
  for (let length = 0; length < CHECKSUM_LENGTH; length++) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

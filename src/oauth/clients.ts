/**
 * Programs that may ask users for a key. They are known by a registration (RFC 7591), or by the address of a document
 * that describes them (OAuth Client ID Metadata Document).
 *
 * @module
 */
import type { GuardTrial } from "../config.ts";
import { type Fetched, fetchGuarded } from "../http/guarded_fetch.ts";
import { BoundedMap } from "../lib/bounded_map.ts";
import { withoutInvisible } from "../lib/invisible_text.ts";
import { isObject } from "../lib/records.ts";
import { createSemaphore } from "../lib/semaphore.ts";
import { parseUuid } from "../lib/uuid.ts";
import {
  CLIENT_DOCUMENT_BYTES_MAX,
  CLIENT_DOCUMENT_FAILED_MS,
  CLIENT_DOCUMENT_KEPT_MS,
  CLIENT_DOCUMENT_MS_MAX,
  CLIENT_DOCUMENTS_MAX,
  CLIENT_FETCHES_MAX,
  NAME_LENGTH_MAX,
  REDIRECT_ADDRESSES_MAX,
} from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";
import { faultOfRedirect } from "./redirect_address.ts";

export interface Client {
  readonly id: string;
  /** The name that the program gives itself. */
  readonly name: string;
  readonly redirectAddresses: readonly string[];
  /** The host of the document that confirms the name. Undefined if the name is not verified. */
  readonly host: string | undefined;
}

/** `reason` is a sentence. */
export type FoundClient =
  | { readonly kind: "client"; readonly client: Client }
  | { readonly kind: "unknown"; readonly reason: string };

/** A client's metadata, from a registration or a document. `reason` completes "… can't be used: …". */
export type ClientMetadata =
  /** `addresses` are the usable ones, of which there is at least one. */
  | { readonly kind: "metadata"; readonly name: string; readonly addresses: readonly string[] }
  | { readonly kind: "bad_address" | "bad_metadata"; readonly reason: string };

const CLIENT_ID_LENGTH_MAX = 500;

/**
 * Reads `client_name` and `redirect_uris`. Unknown members are ignored. So are unusable addresses beside a usable one,
 * because a program lists those of all its editions and uses one of them. RFC 7591, 2 and 3.2.1.
 */
export function readClientMetadata(body: unknown): ClientMetadata {
  if (!isObject(body)) return { kind: "bad_metadata", reason: "it is not an object" };
  const { redirect_uris: listed, client_name: given } = body;
  const isList = Array.isArray(listed) && listed.every((each) => typeof each === "string");
  if (!isList || listed.length === 0 || listed.length > REDIRECT_ADDRESSES_MAX) {
    const reason = `redirect_uris must be a list of 1 to ${REDIRECT_ADDRESSES_MAX} addresses`;
    return { kind: "bad_address", reason };
  }
  const addresses = listed.filter((each) => faultOfRedirect(each) === undefined);
  const [first] = addresses;
  if (first === undefined) {
    const [bad = ""] = listed;
    const reason = `redirect_uri "${printable(bad)}" ${faultOfRedirect(bad)}`;
    return { kind: "bad_address", reason };
  }
  if (given !== undefined && typeof given !== "string") {
    return { kind: "bad_metadata", reason: "client_name must be a string" };
  }
  const name = nameOf(given ?? "") || hostOf(first);
  return { kind: "metadata", name, addresses };
}

/** The host, or the scheme if the address names no host. */
function hostOf(address: string): string {
  const { hostname, protocol } = new URL(address);
  return hostname || protocol;
}

/** The name on one line, without invisible characters, and no longer than a key's name. */
function nameOf(given: string): string {
  const words = withoutInvisible(given.toWellFormed()).replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
  return [...words.trim()].slice(0, NAME_LENGTH_MAX).join("").trim();
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 100);
}

interface ClientsOptions {
  readonly database: Pick<Database, "row">;
  /** Whether metadata documents are fetched. */
  readonly isFetching: boolean;
  readonly trial: GuardTrial | undefined;
  /** How long a document may take, in milliseconds. @default CLIENT_DOCUMENT_MS_MAX */
  readonly documentMsMax?: number;
  /** Milliseconds of a monotonic clock. @default performance.now */
  readonly nowMs?: () => number;
}

export class Clients {
  readonly #options: ClientsOptions;
  /** Documents and failures, by address. */
  readonly #kept = new BoundedMap<
    string,
    { readonly found: FoundClient; readonly untilMs: number }
  >(CLIENT_DOCUMENTS_MAX);
  readonly #fetching = new Map<string, Promise<FoundClient>>();
  readonly #fetches = createSemaphore({
    runningMax: CLIENT_FETCHES_MAX,
    ownerRunningMax: () => CLIENT_FETCHES_MAX / 2,
    waitingMax: CLIENT_FETCHES_MAX,
    waitMsMax: CLIENT_DOCUMENT_MS_MAX,
  });

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  /** @param accountId the account of the user who was sent, so that one account's requests don't block others */
  async find(clientId: string, accountId: string): Promise<FoundClient> {
    const registeredId = parseUuid(clientId);
    if (registeredId !== undefined) return this.#findRegistered(registeredId);
    const url = clientId.length <= CLIENT_ID_LENGTH_MAX ? documentAddress(clientId) : undefined;
    if (url === undefined) {
      return unknown("Unknown program. Its client_id is not registered here.");
    }
    if (!this.#options.isFetching) {
      return unknown(
        "This gateway does not accept a metadata document as client_id. The program must register.",
      );
    }
    const { nowMs = () => performance.now() } = this.#options;
    const kept = this.#kept.get(clientId);
    if (kept !== undefined && kept.untilMs > nowMs()) return kept.found;
    const fetching = this.#fetching.get(clientId);
    if (fetching !== undefined) return fetching;
    const asked = this.#fetch(url, accountId).finally(() => this.#fetching.delete(clientId));
    this.#fetching.set(clientId, asked);
    return asked;
  }

  async #findRegistered(clientId: string): Promise<FoundClient> {
    const row = await this.#options.database.row("find_client", { client_id: clientId });
    if (row === undefined) {
      return unknown(
        "This program is no longer registered here. Remove the connection in the program and add it again.",
      );
    }
    const redirectAddresses: readonly string[] = JSON.parse(row.redirect_uris);
    const client = { id: clientId, name: row.client_name, redirectAddresses, host: undefined };
    return { kind: "client", client };
  }

  async #fetch(url: URL, accountId: string): Promise<FoundClient> {
    using permit = await this.#fetches.acquire(accountId);
    if (permit === undefined) {
      return unknown("Too many programs are being looked up. Try again in a few seconds.");
    }
    const {
      trial,
      documentMsMax = CLIENT_DOCUMENT_MS_MAX,
      nowMs = () => performance.now(),
    } = this.#options;
    const fetched = await fetchGuarded(url, {
      bytesMax: CLIENT_DOCUMENT_BYTES_MAX,
      msMax: documentMsMax,
      mediaType: "application/json",
      trial,
    });
    const found = clientOfDocument(url, fetched);
    const keptMs = found.kind === "client" ? CLIENT_DOCUMENT_KEPT_MS : CLIENT_DOCUMENT_FAILED_MS;
    this.#kept.set(url.href, { found, untilMs: nowMs() + keptMs });
    return found;
  }
}

/** The URL of a client id that is the address of a document. Undefined if it is not one, or not in canonical form. */
function documentAddress(clientId: string): URL | undefined {
  const url = URL.parse(clientId);
  // `href` drops dot segments, user names, upper case, and the like.
  const isPlain = url?.href === clientId && url.username === "" && url.password === "";
  if (url === null || !isPlain || url.protocol !== "https:") return undefined;
  return url.pathname === "/" || clientId.includes("#") ? undefined : url;
}

function clientOfDocument(url: URL, fetched: Fetched): FoundClient {
  const refuse = (reason: string) =>
    unknown(`This program's document at ${url.host} can't be used: ${reason}.`);
  if (fetched.kind === "refused") return refuse(fetched.reason);
  let document: unknown;
  try {
    document = JSON.parse(fetched.text);
  } catch {
    return refuse("it is not JSON");
  }
  const metadata = readClientMetadata(document);
  if (metadata.kind !== "metadata") return refuse(metadata.reason);
  if (!isObject(document) || document.client_id !== url.href) {
    return refuse("its client_id is not its own URL");
  }
  const { token_endpoint_auth_method: method = "none" } = document;
  if (method !== "none" || "client_secret" in document) {
    return refuse("its token_endpoint_auth_method must be none");
  }
  const { name, addresses: redirectAddresses } = metadata;
  return { kind: "client", client: { id: url.href, name, redirectAddresses, host: url.host } };
}

function unknown(reason: string): FoundClient {
  return { kind: "unknown", reason };
}

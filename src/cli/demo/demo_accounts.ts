/**
 * The demo's accounts and keys, which stay the same across starts.
 *
 * The database records which accounts belong to the demo. A key is shown only once, so the demo keeps its keys in the
 * data folder, in a file that only the owner can read. Keys that are lost or revoked are replaced.
 *
 * @module
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateKey, hashKey, type Permission, startOf } from "../../accounts/key_format.ts";
import { changeLedger } from "../../accounts/ledger.ts";
import { assert } from "../../lib/assert.ts";
import { WINDOW_US } from "../../limits.ts";
import type { Database } from "../../postgres/client/database.ts";

export interface DemoAccounts {
  readonly providerId: string;
  readonly consumerId: string;
  readonly readKey: string;
  readonly writeKey: string;
  /** File that contains the keys. */
  readonly keysPath: string;
}

const SETTING = "demo:accounts";
const KEYS_FILE = "demo-keys.json";
const PROVIDER_FEEDS_MAX = 20;
/** Ten dollars. Enough for the demo's one-time feed and five million reads at $0.001 per 1,000 calls. */
const CREDIT_NANOS = 10_000_000_000n;

/** Creates the accounts and keys, unless they exist. An interrupted run can be repeated. */
export async function keepDemoAccounts(database: Database, dataDir: string): Promise<DemoAccounts> {
  const proposed = `${crypto.randomUUID()} ${crypto.randomUUID()}`;
  const setting = await database.row("keep_setting", { name: SETTING, value: proposed });
  const [providerId, consumerId] = (setting?.value ?? "").split(" ");
  assert(providerId !== undefined && consumerId !== undefined, "the demo has two accounts");
  await database.row("create_account", {
    name: "Demo provider",
    max_feeds_allowed: PROVIDER_FEEDS_MAX,
    account_id: providerId,
    actor: null,
  });
  await database.row("create_account", {
    name: "Demo consumer",
    max_feeds_allowed: 1,
    account_id: consumerId,
    actor: null,
  });
  await changeLedger(database, "append_ledger_entry", {
    account_id: consumerId,
    kind: "grant",
    amount_nanos: CREDIT_NANOS,
    reason: "starting balance",
    reference: `demo:${consumerId}`,
    actor: null,
  });
  const keysPath = join(dataDir, KEYS_FILE);
  const known = readKeys(keysPath);
  const readKey = await keepKey(database, known, { accountId: consumerId, permission: "read" });
  const writeKey = await keepKey(database, known, { accountId: providerId, permission: "write" });
  mkdirSync(dataDir, { recursive: true });
  writeKeys(keysPath, { ...known, [consumerId]: readKey, [providerId]: writeKey });
  return { providerId, consumerId, readKey, writeKey, keysPath };
}

/** Keys by account id. One data folder may have served several databases. */
type KnownKeys = Readonly<Record<string, string>>;

async function keepKey(
  database: Database,
  known: KnownKeys,
  { accountId, permission }: { readonly accountId: string; readonly permission: Permission },
): Promise<string> {
  const kept = known[accountId];
  if (kept !== undefined) {
    const row = await database.row("find_key", { key_hash: hashKey(kept), window_us: WINDOW_US });
    if (row?.account_id === accountId && row.permission === permission) return kept;
  }
  const key = generateKey(permission);
  await database.row("create_key", {
    account_id: accountId,
    key_hash: hashKey(key),
    key_start: startOf(key),
    permission,
    name: "demo",
    expires_at: null,
    daily_nanos: null,
    feed_ids: null,
    actor: null,
  });
  return key;
}

function readKeys(path: string): KnownKeys {
  try {
    const keys: unknown = JSON.parse(readFileSync(path, "utf8"));
    const entries = Object.entries(keys ?? {}).filter(([, key]) => typeof key === "string");
    return Object.fromEntries(entries);
  } catch {
    // The file is missing, truncated, or not ours. New keys are created.
    return {};
  }
}

/** Writes the file atomically, readable only by the owner. */
function writeKeys(path: string, keys: KnownKeys): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/**
 * Webhooks of accounts and operators: create, list, edit, rotate, delete and test webhooks, list their deliveries, and
 * send a delivery again. See `src/spec/beyond.md`, section 17.
 *
 * A webhook belongs to the account and the permission of the key that created it. A key with a scope, and a connected
 * agent, see only the webhooks that a key of their own chain of rotations has created.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import type { Actor } from "../accounts/actor.ts";
import type { Principal } from "../api/callers/callers.ts";
import type { GuardTrial } from "../config.ts";
import { type Feeds, findOwned } from "../feeds/find.ts";
import { findPublicAddress } from "../http/guarded_fetch.ts";
import { nameIn, present, unreachable } from "../lib/assert.ts";
import { intervalOf, MS_PER_DAY } from "../lib/time_units.ts";
import { parseUuid } from "../lib/uuid.ts";
import { AGENT_WEBHOOKS_MAX, NOTICES_KEPT_MS, WEBHOOKS_MAX } from "../limits.ts";
import type { InputOf } from "../operator/operator.ts";
import { findFeed } from "../operator/references.ts";
import { Refused } from "../operator/refused.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import { mayName, type NoticePermission, type NoticeTypeName, typesOf } from "./notice_types.ts";
import { makeWebhookSecret } from "./webhook_secret.ts";
import {
  type CreateWebhookInput,
  DELIVERY_STATUSES,
  type DeliveryOutcome,
  type EditWebhookInput,
  type WebhookOutcome,
} from "./webhook_shapes.ts";

/** What naming an address needs of the gateway. */
export interface WebhookSettings {
  readonly database: Database;
  /** Seals the addresses' secrets. */
  readonly secret: string;
  /** Of this gateway, which is never called. */
  readonly baseUrl: () => string;
  readonly allowsPrivate: boolean;
  readonly trial: GuardTrial | undefined;
}

/** What a function gets that manages the operators' addresses. */
export interface Notifying {
  readonly webhooks: WebhookSettings;
}

/** Who manages addresses. */
export interface WebhookOwner {
  /** Null for operators. */
  readonly accountId: string | null;
  readonly permission: NoticePermission;
  /** The chain of the key. Null for an admin key. */
  readonly chainId: string | null;
  /** Whether only addresses of that chain may be seen. */
  readonly isOfChain: boolean;
  /** As the audit trail names the owner. */
  readonly actor: Actor;
  /** The id of a feed whose notices the owner can receive. */
  findFeed(reference: string): Promise<string | undefined>;
}

/** Operators share their addresses. */
export function operatorsOwner(database: Database, actor: Actor): WebhookOwner {
  return {
    accountId: null,
    permission: "admin",
    chainId: null,
    isOfChain: false,
    actor,
    findFeed: async (reference) => (await findFeed(database, reference)).feed_id,
  };
}

interface KnownFeeds {
  /** Active feeds. */
  readonly feeds: Feeds;
  /** All feeds. */
  readonly storedFeeds: Feeds;
}

/** The owner of the webhooks that an account's key manages. */
export function ownerByKey(
  { feeds, storedFeeds }: KnownFeeds,
  { accountId, permission, caller }: Principal,
  actor: Actor,
): WebhookOwner {
  return {
    accountId,
    permission,
    chainId: caller.chainId,
    isOfChain: caller.isAgent || caller.feedIds !== null,
    actor,
    async findFeed(reference) {
      if (permission === "write")
        return (await findOwned(storedFeeds, accountId, reference))?.feedId;
      const feed = await feeds.findFresh(caller.account, reference);
      const isInScope = feed !== undefined && caller.feedIds?.has(feed.feedId) !== false;
      return isInScope ? feed.feedId : undefined;
    },
  };
}

const SWITCHED_OFF = ["gone", "failing"] as const;
const ROTATION_MS = MS_PER_DAY;

/** @throws {Refused} */
export async function createWebhook(
  settings: WebhookSettings,
  owner: WebhookOwner,
  input: InputOf<typeof CreateWebhookInput>,
): Promise<WebhookOutcome & { readonly secret: string }> {
  const { database, secret } = settings;
  const types = permittedTypes(owner, input.types);
  const url = await checkedUrl(settings, input.url);
  const feedIds = await feedIdsOf(owner, input.feed_ids);
  const webhookId = randomUUID();
  const { shown, sealed } = makeWebhookSecret({ secret, webhookId });
  const made = present(
    await database.row("create_webhook", {
      account_id: owner.accountId,
      permission: owner.permission,
      chain_id: owner.chainId,
      url,
      types,
      feed_ids: feedIds,
      webhook_id: webhookId,
      sealed_secret: sealed,
      webhooks_max: WEBHOOKS_MAX,
      agent_webhooks_max: AGENT_WEBHOOKS_MAX,
      actor: owner.actor,
    }),
  );
  const outcome = nameIn(["made", "limited", "agent_limited"], made.outcome);
  switch (outcome) {
    case "made":
      break;
    case "limited":
      throw limitReached(`${WEBHOOKS_MAX} webhooks`);
    case "agent_limited":
      throw limitReached(`${AGENT_WEBHOOKS_MAX} webhooks of a connected agent`);
    default:
      return unreachable(outcome);
  }
  return { ...(await findWebhook(settings, owner, webhookId)), secret: shown };
}

/** The oldest first. */
export async function listWebhooks(
  { database }: Pick<WebhookSettings, "database">,
  owner: WebhookOwner,
): Promise<readonly WebhookOutcome[]> {
  const rows = await database.rows("list_webhooks", { ...visibleTo(owner), webhook_id: null });
  return rows.map(webhookOf);
}

/** @throws {Refused} */
export async function findWebhook(
  { database }: Pick<WebhookSettings, "database">,
  owner: WebhookOwner,
  id: string,
): Promise<WebhookOutcome> {
  const webhookId = parseUuid(id);
  if (webhookId === undefined) throw webhookNotFound();
  const row = await database.row("list_webhooks", { ...visibleTo(owner), webhook_id: webhookId });
  if (row === undefined) throw webhookNotFound();
  return webhookOf(row);
}

/** Changes what is given. @throws {Refused} */
export async function editWebhook(
  settings: WebhookSettings,
  owner: WebhookOwner,
  input: InputOf<typeof EditWebhookInput>,
): Promise<WebhookOutcome> {
  const { id } = await findWebhook(settings, owner, input.webhook_id);
  const types = input.types === undefined ? null : permittedTypes(owner, input.types);
  const url = input.url === undefined ? null : await checkedUrl(settings, input.url);
  const feedIds = await feedIdsOf(owner, input.feed_ids);
  await settings.database.row("edit_webhook", {
    ...visibleTo(owner),
    webhook_id: id,
    url,
    types,
    has_feed_ids: input.feed_ids !== undefined,
    feed_ids: feedIds,
    is_active: input.is_active ?? null,
    editor_chain_id: owner.chainId,
    actor: owner.actor,
  });
  return findWebhook(settings, owner, id);
}

/** @throws {Refused} */
export async function deleteWebhook(
  { database }: Pick<WebhookSettings, "database">,
  owner: WebhookOwner,
  id: string,
): Promise<{ readonly id: string }> {
  const row = await database.row("delete_webhook", {
    ...pathTo(owner, id),
    actor: owner.actor,
  });
  if (row === undefined) throw webhookNotFound();
  return { id: row.webhook_id };
}

/** For a day, calls are signed with both secrets. @throws {Refused} */
export async function rotateWebhook(
  { database, secret }: WebhookSettings,
  owner: WebhookOwner,
  id: string,
) {
  const path = pathTo(owner, id);
  const { shown, sealed } = makeWebhookSecret({ secret, webhookId: path.webhook_id });
  const row = await database.row("rotate_webhook", {
    ...path,
    sealed_secret: sealed,
    moment: null,
    overlap: intervalOf(ROTATION_MS),
    actor: owner.actor,
  });
  if (row === undefined) throw webhookNotFound();
  return { id: row.webhook_id, secret: shown, previous_until: present(row.previous_until) };
}

/** Sends a notice of type `webhook.test`. @throws {Refused} */
export async function testWebhook(
  { database }: Pick<WebhookSettings, "database">,
  owner: WebhookOwner,
  id: string,
) {
  const row = await database.row("test_webhook", pathTo(owner, id));
  if (row === undefined) throw webhookNotFound();
  return { delivery_id: row.delivery_id, notice_id: row.notice_id };
}

interface DeliveryPage {
  readonly limit: number;
  readonly offset: number;
}

/** The newest first. @throws {Refused} */
export async function listDeliveries(
  settings: Pick<WebhookSettings, "database">,
  owner: WebhookOwner,
  { id, limit, offset }: DeliveryPage & { readonly id: string },
) {
  const webhook = await findWebhook(settings, owner, id);
  const rows = await settings.database.rows("list_deliveries", {
    webhook_id: webhook.id,
    since: new Date(Date.now() - NOTICES_KEPT_MS).toISOString(),
    // One more shows whether there is another page.
    limit: BigInt(limit + 1),
    offset: BigInt(offset),
  });
  return {
    deliveries: rows.slice(0, limit).map(deliveryOf),
    limit,
    offset,
    has_more: rows.length > limit,
  };
}

/** Sends a delivery again, with the same id. Operators may send those of all accounts. @throws {Refused} */
export async function resendDelivery(
  { database }: Pick<WebhookSettings, "database">,
  owner: WebhookOwner,
  id: string,
) {
  const deliveryId = parseUuid(id);
  const row =
    deliveryId === undefined
      ? undefined
      : await database.row("resend_delivery", {
          ...visibleTo(owner),
          is_operator: owner.permission === "admin",
          delivery_id: deliveryId,
        });
  if (row === undefined) {
    throw new Refused(
      "DELIVERY_NOT_FOUND",
      "There is no delivery with this id, or it is older than 30 days. List the webhook's deliveries to find the id.",
    );
  }
  return { delivery_id: row.delivery_id, webhook_id: row.webhook_id };
}

export function deliveryOf(row: Row<"list_deliveries">): DeliveryOutcome {
  const { delivery_id: id, webhook_id, notice_id, type, created_at, attempts } = row;
  const { attempted_at, next_at, code, ms, answer, error } = row;
  return {
    ...{ id, webhook_id, notice_id, type },
    status: nameIn(DELIVERY_STATUSES, row.status),
    ...{ created_at, attempts, attempted_at, next_at, code, ms, answer, error },
  };
}

function webhookOf(row: Row<"list_webhooks">): WebhookOutcome {
  const isEnded = row.is_active && !row.is_key_usable;
  return {
    id: row.webhook_id,
    url: row.url,
    types: JSON.parse(row.types),
    feed_ids: row.feed_ids === null ? null : JSON.parse(row.feed_ids),
    is_active: row.is_active && !isEnded,
    switched_off: isEnded
      ? "key_ended"
      : row.switched_off === null
        ? null
        : nameIn(SWITCHED_OFF, row.switched_off),
    created_at: row.created_at,
  };
}

/** The parameters that restrict a statement to what the owner may see. */
function visibleTo({ accountId, permission, chainId, isOfChain }: WebhookOwner) {
  return { account_id: accountId, permission, chain_id: isOfChain ? chainId : null };
}

function pathTo(owner: WebhookOwner, id: string) {
  const webhookId = parseUuid(id);
  if (webhookId === undefined) throw webhookNotFound();
  return { ...visibleTo(owner), webhook_id: webhookId };
}

/** Each type once. @throws {Refused} if one does not suit the key's permission */
function permittedTypes(
  { permission }: WebhookOwner,
  types: readonly NoticeTypeName[],
): NoticeTypeName[] {
  const forbidden = types.find((type) => !mayName(permission, type));
  if (forbidden === undefined) return [...new Set(types)];
  throw new Refused(
    "NOTICE_TYPE_FORBIDDEN",
    `A key with permission ${permission} does not receive ${forbidden}. It receives ${typesOf(permission).join(", ")}.`,
  );
}

async function feedIdsOf(
  owner: WebhookOwner,
  references: readonly string[] | null | undefined,
): Promise<string[] | null> {
  if (references === null || references === undefined) return null;
  const found = await Promise.all(references.map((each) => owner.findFeed(each)));
  const unknown = references.find((_, place) => found[place] === undefined);
  if (unknown !== undefined) {
    throw new Refused(
      "FEED_NOT_FOUND",
      `There is no feed "${unknown.slice(0, 100)}" that this key receives notices about. Name feeds by id or endpoint_path.`,
    );
  }
  return [...new Set(found.map(present))];
}

/** @throws {Refused} unless notices may be sent to the address */
async function checkedUrl(settings: WebhookSettings, given: string): Promise<string> {
  const url = URL.parse(given);
  const { allowsPrivate, trial, baseUrl } = settings;
  const schemes = allowsPrivate ? ["https:", "http:"] : ["https:"];
  if (url === null || !schemes.includes(url.protocol)) {
    throw urlInvalid(`url must be an absolute https address, got "${given.slice(0, 100)}"`);
  }
  if (url.username !== "" || url.password !== "") {
    throw urlInvalid("url must not contain a user name or password");
  }
  if (url.hash !== "") throw urlInvalid("url must not contain a fragment");
  if (url.host === URL.parse(baseUrl())?.host)
    throw urlInvalid("url must not point to this gateway");
  const address = await findPublicAddress(url, { trial, allowsPrivate }).catch(() => undefined);
  if (address === undefined) {
    throw urlInvalid("the host of url can't be resolved, or its address is not public");
  }
  return url.href;
}

function urlInvalid(reason: string): Refused {
  return new Refused("WEBHOOK_URL_INVALID", `Nothing was saved: ${reason}. Send a different URL.`);
}

function limitReached(what: string): Refused {
  return new Refused("WEBHOOKS_LIMIT", `The limit of ${what} is reached. Delete one first.`);
}

function webhookNotFound(): Refused {
  return new Refused(
    "WEBHOOK_NOT_FOUND",
    "No webhook with this id is visible to this key. GET /v1/webhooks lists those that are.",
  );
}

/**
 * A provider with feeds and requests for its earnings, and readers with their keys.
 *
 * @module
 */
import { expect } from "bun:test";
import type { Earnings } from "../../src/accounts/earnings/earnings.ts";
import type { TestGateway } from "./gateway.ts";
import { type Seed, type SeededFeed, seedFeed } from "./seed.ts";

export interface Provider {
  readonly accountId: string;
  readonly key: string;
  feed(price?: Pick<Seed, "callPriceNanos" | "oneTimePriceCents">): Promise<SeededFeed>;
  /** GET with the provider's write key. */
  get(path: string): Promise<Response>;
  /** The provider's earnings. The request must succeed. `query` includes its question mark. */
  earnings(query?: string): Promise<Plain<Earnings>>;
}

/** The JSON form of a value, in which exact numbers are numbers. */
type Plain<Value> = Value extends { readonly rawJSON: string }
  ? number
  : Value extends object
    ? { readonly [Name in keyof Value]: Plain<Value[Name]> }
    : Value;

export async function createProvider(gateway: TestGateway): Promise<Provider> {
  const accountId = await gateway.createAccount();
  const key = await gateway.createKey(accountId, "write");
  const get = (path: string) =>
    fetch(gateway.baseUrl + path, { headers: { Authorization: `Bearer ${key}` } });
  return {
    accountId,
    key,
    get,
    feed: (price = { callPriceNanos: 1_000 }) =>
      seedFeed(gateway, accountId, { type: "collection", rows: [{ id: 1 }], ...price }),
    async earnings(query = "") {
      const response = await get(`/v1/provider/earnings${query}`);
      expect(response.status).toBe(200);
      return (await response.json()) as Plain<Earnings>;
    },
  };
}

export interface Reader {
  readonly accountId: string;
  readonly key: string;
  /** A read that must succeed. Returns its receipt. */
  read(feed: SeededFeed, baseUrl?: string): Promise<{ usage_id: string; timestamp: string }>;
}

export async function createReader(gateway: TestGateway, credits = 1_000_000): Promise<Reader> {
  const accountId = await gateway.createAccount({ credits });
  const key = await gateway.createKey(accountId, "read");
  return {
    accountId,
    key,
    async read({ slug }, baseUrl = gateway.baseUrl) {
      const response = await fetch(`${baseUrl}/v1/feed/${slug}`, { headers: { "x-api-key": key } });
      expect(response.status).toBe(200);
      const body = (await response.json()) as { _origin: { usage_id: string; timestamp: string } };
      return body._origin;
    },
  };
}

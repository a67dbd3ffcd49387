/**
 * Answers that pages of consumers share.
 *
 * @module
 */
import type { Figure } from "../../layout/parts.tsx";
import { type AskApi, bodyOf } from "../own_api.ts";

export interface Amount {
  readonly credits: Figure;
  readonly usd: Figure;
}

export interface UsageEvent {
  readonly usage_id: string;
  readonly timestamp: string;
  readonly operation: string;
  readonly feed_id: string | null;
  readonly credits_charged: Figure;
  readonly key_id: string | null;
}

export interface Usage {
  readonly usage: readonly UsageEvent[];
  readonly next_cursor: string | null;
}

export interface Purchases {
  readonly purchases: readonly {
    readonly purchase_id: string;
    readonly feed_id: string;
    readonly endpoint_path: string | null;
    readonly purchased_at: string;
    readonly price: Amount;
    readonly paid_from: string;
  }[];
  readonly next_cursor: string | null;
}

/** Whether the account has bought the feed. @throws {Problem} as `bodyOf` */
export async function hasBought(ask: AskApi, feedId: string): Promise<boolean> {
  const answer = await ask<Purchases>(`/v1/purchases?limit=1&feed_id=${feedId}`);
  return bodyOf(answer).purchases.length > 0;
}

/**
 * Answers that pages of consumers share.
 *
 * @module
 */
import type { Figure } from "../../ui/parts.tsx";

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

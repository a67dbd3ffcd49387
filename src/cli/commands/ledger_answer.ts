/**
 * Shared by the commands that write ledger entries: their options and output.
 *
 * @module
 */
import { Value } from "@sinclair/typebox/value";
import { entryReference } from "../../operator/common_shapes.ts";
import type { WrittenEntry } from "../../operator/ledger_entry.ts";
import { type Answer, type Option, UsageError } from "../command.ts";
import { required, text } from "../options.ts";
import { fields } from "../output.ts";

/** The reason for an entry. */
export const REASON_OPTION = required(text("reason, stored in the ledger", { lengthMax: 500 }));

/** The option for an entry's reference, which makes the command safe to repeat. */
export function referenceOption(about: string): Option<string> {
  const plain = text(about);
  return {
    ...plain,
    read(given, name) {
      const reference = plain.read(given, name);
      const isOurs: boolean = !Value.Check(entryReference, reference);
      if (!isOurs) return reference;
      throw new UsageError(
        `${name} must not begin with "${given.split(":")[0]}:", which is reserved for the gateway's own entries`,
      );
    },
  };
}

export function entryAnswer({ entry }: WrittenEntry): Answer {
  const { balance_before_credits: before, balance_after_credits: after } = entry;
  return {
    json: JSON.stringify(entry),
    text: fields({
      feed: entry.feed_id,
      "usage event": entry.usage_id,
      entry: `${entry.entry_id} (${entry.kind})`,
      account: entry.account_id,
      credits: entry.credits.rawJSON,
      balance: `${before.rawJSON} before, ${after.rawJSON} after`,
      reason: entry.reason,
      reference: entry.reference,
      written: entry.created_at,
    }),
  };
}

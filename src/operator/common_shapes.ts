/**
 * Parts that the schemas of operators' inputs and outcomes have in common. Decisions 10, beyond 5.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { REFERENCE_RESERVED } from "../accounts/ledger.ts";
import type { ExactNumber } from "../accounts/money.ts";
import { nullable, text } from "../lib/typebox.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";

/** PostgreSQL's integer. */
export const COUNT_MAX = 2 ** 31 - 1;
const REASON_LENGTH_MAX = 500;

/** A number that is printed digit for digit. */
export const exact = (description: string) =>
  Type.Unsafe<ExactNumber>(Type.Number({ description }));

/** Nano-dollars, which a face reads from credits with up to 3 decimals. */
export const nanos = (description: string) =>
  Type.Unsafe<bigint>(Type.Number({ minimum: 0, multipleOf: 0.001, description }));

export const accountReference = text({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  description: "The account, by id or exact name.",
});
export const feedReference = text({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  description: "The feed, by id or slug.",
});
export const name = text({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: "For people." });
export const reason = text({
  minLength: 1,
  maxLength: REASON_LENGTH_MAX,
  description: "Why. It is kept.",
});

/** Names a ledger entry, so that the same call may be sent again. */
export const entryReference = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: `^(?!${REFERENCE_RESERVED.source.slice(1)})`,
  description: "The same one twice is one entry.",
});
export const quota = Type.Integer({
  minimum: 1,
  maximum: COUNT_MAX,
  description: "Feeds that the account may own, drafts included.",
});
export const maybe = nullable;

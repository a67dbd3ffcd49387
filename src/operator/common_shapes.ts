/**
 * Common parts of the schemas of operators' inputs and outcomes.
 *
 * @module
 */
import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import { REFERENCE_RESERVED } from "../accounts/ledger.ts";
import { Expected, text } from "../lib/typebox.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";

/** PostgreSQL's integer. */
export const COUNT_MAX = 2 ** 31 - 1;
const REASON_LENGTH_MAX = 500;

/** The most that an act moves: a billion dollars, far from the end of a bigint of nano-dollars. */
export const AMOUNT_NANOS_MAX = 10n ** 18n;

/** The kinds of `nanos()` and `usdNanos()`. */
export const NANOS = "Nanos";
export const USD_NANOS = "UsdNanos";
for (const kind of [NANOS, USD_NANOS]) {
  TypeRegistry.Set(
    kind,
    (_, value) => typeof value === "bigint" && value > 0n && value <= AMOUNT_NANOS_MAX,
  );
}

/** Nano-dollars, which a face reads from the text of credits. To a reader of the document they are that number. */
export const nanos = (description: string) =>
  Type.Unsafe<bigint>({
    [Kind]: NANOS,
    [Expected]: "a number of credits above 0, with at most 3 decimals, and at most 10^15",
    type: "number",
    exclusiveMinimum: 0,
    maximum: 1e15,
    multipleOf: 0.001,
    description,
  });

/** Nano-dollars, which a face reads from the text of USD. */
export const usdNanos = (description: string) =>
  Type.Unsafe<bigint>({
    [Kind]: USD_NANOS,
    [Expected]: "a number of USD above 0, with at most 9 decimals, and at most 10^9",
    type: "number",
    exclusiveMinimum: 0,
    maximum: 1e9,
    description,
  });

export const accountReference = text({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  description: "The account, by id or exact name.",
  examples: ["Acme agents"],
});
export const feedReference = text({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  description: "The feed, by id or slug.",
  examples: ["quakes"],
});
export const name = text({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: "For people." });
export const reason = text({
  minLength: 1,
  maxLength: REASON_LENGTH_MAX,
  description: "The reason, which is stored.",
});

/** Names a ledger entry, so that the same call may be sent again. */
export const entryReference = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: `^(?!${REFERENCE_RESERVED.source.slice(1)})`,
  [Expected]: `a string of 1 to ${NAME_LENGTH_MAX} characters that does not begin with a prefix reserved for the gateway's own references`,
  description: "Identifies the entry; a repeated reference is recorded once.",
});
export const quota = Type.Integer({
  minimum: 1,
  maximum: COUNT_MAX,
  description: "Feeds that the account may own, drafts included.",
});

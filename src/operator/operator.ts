/**
 * The common form of every operator function: `(operator, input, actor) → outcome`.
 *
 * A function is independent of terminals, HTTP, and pages. Its input and its outcome have TypeBox schemas, and the
 * outcome is the JSON that every interface shows. If the operation can't be done, it throws a `Refused` with a code.
 *
 * @module
 */
import type { Static, TSchema } from "@sinclair/typebox";
import type { Limits } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";

/** Where an operator acts. */
export interface Operator {
  readonly database: Database;
  /** The gateway's, for defaults and for what feeds show of them. */
  readonly limits: Limits;
}

/** An input by its schema. What is optional may be undefined, too. */
export type InputOf<Schema extends TSchema> = {
  readonly [Name in OptionalOf<Static<Schema>>]?: Static<Schema>[Name] | undefined;
} & {
  readonly [Name in Exclude<
    keyof Static<Schema>,
    OptionalOf<Static<Schema>>
  >]: Static<Schema>[Name];
};

type OptionalOf<Members> = {
  [Name in keyof Members]-?: object extends Pick<Members, Name> ? Name : never;
}[keyof Members];

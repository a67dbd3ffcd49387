/**
 * Formats a gateway's refusal for the terminal: the problem's detail, and one line per error in a file.
 *
 * @module
 */
import {
  AccessRequiredError,
  type FeedgateError,
  FeedNotFoundError,
  KeyRequiredError,
  ProblemError,
  PurchaseRequiredError,
} from "../../client/mod.ts";
import { KEY_VARIABLE } from "../../lib/client_variables.ts";
import { typed } from "../hints.ts";
import { grouped } from "./status.ts";

/** Matches the JSON pointer of a row in a request body. */
const ROW_PATH = /^\/payload\/(\d+)(.*)$/;

type Mistake = NonNullable<ProblemError["problem"]["errors"]>[number];

/** Lines to print. The first states the problem and the fix. */
export function refusalLines(error: FeedgateError): readonly string[] {
  if (!(error instanceof ProblemError)) return [error.message];
  const { rowsBefore, problem } = error;
  const { errors = [] } = problem;
  const mistakes = errors.map((mistake) => mistakeText(mistake, rowsBefore));
  const [only = ""] = mistakes;
  const stored =
    rowsBefore > 0 ? `the first ${grouped(rowsBefore)} rows were stored` : "nothing was stored";
  // The user knows the file, but not the requests that it was split into.
  if (errors.length > 0 && errors.every(({ path }) => ROW_PATH.test(path))) {
    return mistakes.length === 1
      ? [`${only}; ${stored}`]
      : [`some rows of the file were refused; ${stored}`, ...mistakes];
  }
  const said = inWords(error) + (rowsBefore > 0 ? ` (${stored})` : "");
  const isSaid = mistakes.length === 1 && error.message.includes(errors[0]?.message ?? "");
  return isSaid ? [said] : [said, ...mistakes];
}

/** The detail, with commands to type in place of the API routes that it names. */
function inWords(error: ProblemError): string {
  if (error instanceof KeyRequiredError) {
    return `the gateway requires a key: set ${KEY_VARIABLE}, or give --key`;
  }
  if (error instanceof PurchaseRequiredError) {
    const { price } = error.problem;
    return `this feed has a one-time price, and the account has not bought it; to buy it: ${typed(`buy FEED --max-credits ${price?.credits ?? "N"}`)}`;
  }
  if (error instanceof AccessRequiredError) {
    return `this feed requires access from its provider, and the account has none; to request it: ${typed("access request FEED --message TEXT")}`;
  }
  if (error instanceof FeedNotFoundError) {
    return `no active feed has this id or slug; to find one: ${typed("search WORDS")}`;
  }
  const isOne = error.problem.errors?.length === 1;
  return error.message
    .replace("Correct the listed errors", isOne ? "Correct it" : "Correct these errors")
    .replace("import the file again", "push the file again");
}

/** An error, with its location in the file. */
function mistakeText({ line, path, message }: Mistake, rowsBefore: number): string {
  const [, index, rest = ""] = ROW_PATH.exec(path) ?? [];
  const rowOf = (text: string) => rowsBefore + Number(text) + 1;
  const place = index === undefined ? [path] : [`row ${rowOf(index)}`, rest];
  const said = message
    // The location already includes it.
    .replace(/^(?:row|line) \d+ has /, "has ")
    .replace(
      /, and row (\d+) has this one;/,
      (_, other) => `, and row ${rowOf(other)} has this one;`,
    );
  return [...(line === undefined ? place : [`line ${line}`, path]), said]
    .filter((part) => part !== "")
    .join(": ");
}

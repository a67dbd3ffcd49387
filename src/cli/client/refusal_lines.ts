/**
 * What a gateway refused, for a person: the problem's detail, and a line for each mistake in a file.
 *
 * @module
 */
import {
  type FeedgateError,
  FeedNotFoundError,
  KeyRequiredError,
  ProblemError,
  PurchaseRequiredError,
} from "../../client/mod.ts";
import { KEY_VARIABLE } from "../../lib/client_variables.ts";
import { typed } from "../hints.ts";

/** The lines; the first says what is wrong and what to do. */
export function refusalLines(error: FeedgateError): readonly string[] {
  if (!(error instanceof ProblemError)) return [error.message];
  const { rowsBefore, problem } = error;
  const { errors = [] } = problem;
  const mistakes = errors.map(({ path, message, line }) => {
    const place = line === undefined ? placeOf(path, rowsBefore) : [`line ${line}`, path];
    return [...place, message].filter((part) => part !== "").join(": ");
  });
  const before = rowsBefore > 0 ? ` ${rowsBefore} rows before it are stored.` : "";
  return [inWords(error) + before, ...mistakes];
}

/** The detail, but with what to type where it names a route. */
function inWords(error: ProblemError): string {
  if (error instanceof KeyRequiredError) {
    return `the gateway wants a key: set ${KEY_VARIABLE}, or give --key`;
  }
  if (error instanceof PurchaseRequiredError) {
    const { price } = error.problem;
    return `this feed is sold once, and the account has not bought it: ${typed(`buy FEED --max-credits ${price?.credits ?? "N"}`)} buys it`;
  }
  if (error instanceof FeedNotFoundError) {
    return `no active feed has this id or slug; find one with ${typed("search WORDS")}`;
  }
  return error.message.replace("listed in errors", "listed here");
}

/** A path into one request's rows, as a place in the whole file. */
function placeOf(path: string, rowsBefore: number): readonly string[] {
  const [, index, rest = ""] = /^\/payload\/(\d+)(.*)$/.exec(path) ?? [];
  return index === undefined ? [path] : [`row ${rowsBefore + Number(index) + 1}`, rest];
}

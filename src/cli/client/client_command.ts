/**
 * Commands for agents and providers. They call a gateway with its address and a key, and never open its database.
 *
 * @module
 */

import { headerMistake } from "../../client/header_value.ts";
import { Feedgate, RateLimitedError, type Retry, TooManyWaitsError } from "../../client/mod.ts";
import { isPassing } from "../../client/retry.ts";
import { KEY_VARIABLE, URL_VARIABLE } from "../../lib/client_variables.ts";
import { shellWord } from "../../lib/own_process.ts";
import { parseExact } from "../../money/money.ts";
import {
  type Answer,
  type Command,
  type CommandSpec,
  defineCommand,
  type Input,
  InterruptedError,
  type Options,
  UsageError,
  type Values,
} from "../command.ts";
import { typed } from "../hints.ts";
import { type Columns, type Output, table } from "../output.ts";
import { Status } from "./status.ts";

/** Input of a client command. */
export interface ClientInput<Of extends Options> {
  readonly values: Values<Of>;
  readonly argument: string;
  readonly arguments: readonly string[];
  readonly output: Output;
  /** Returns rows as JSON text, and keeps the exact numbers of schemas and samples, so that no digit is lost. */
  readonly feedgate: Feedgate<string>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Progress line on the terminal, redrawn while the command runs. */
  readonly status: Status;
  /** The command line with some options replaced, for hints. An undefined value removes the option. */
  again(options: Readonly<Record<string, string | undefined>>): string;
}

interface ClientSpec<Of extends Options> extends Omit<CommandSpec<Of>, "run"> {
  /** What the command may have done although its response was lost, and how to check. @default nothing to check */
  readonly ifLost?: () => string;
  run(input: ClientInput<Of>): Promise<Answer | undefined>;
}

interface OffsetPage<Entry> {
  /** Page information from the response. */
  readonly page: { readonly offset: number; readonly has_more: boolean };
  readonly entries: readonly Entry[];
  readonly columns: Columns<Entry>;
  /** Printed instead of an empty table. */
  readonly empty: string;
}

/** A page of a list that takes `--limit` and `--offset`, with the command for the next page. */
export function offsetPageAnswer<Entry>(
  { page, entries, columns, empty }: OffsetPage<Entry>,
  again: ClientInput<Options>["again"],
): Answer {
  const next = page.offset + entries.length;
  return {
    json: JSON.stringify(page),
    text: entries.length === 0 ? empty : table(entries, columns),
    more: page.has_more ? `for more, run: ${again({ offset: String(next) })}` : undefined,
  };
}

/** Retries when the gateway sends no Retry-After. A user is waiting, so give up after some seconds. */
const RETRIES = 4;

/** The abort reason after Ctrl-C. */
class Interrupt extends Error {
  override readonly name = "Interrupt";
}

/** Defines a command that calls a gateway. */
export function clientCommand<Of extends Options>({
  run,
  ifLost,
  ...spec
}: ClientSpec<Of>): Command {
  return defineCommand<Of>({
    ...spec,
    isClient: true,
    async run(input) {
      const controller = new AbortController();
      const interrupt = () => controller.abort(new Interrupt());
      // A second signal ends the process at once.
      process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
      const status = new Status(input.output);
      const { signal } = controller;
      try {
        const feedgate = clientOf(input, (retry) => status.wait(retry));
        const { values, argument, arguments: given, output } = input;
        const again = (options: Readonly<Record<string, string | undefined>>) =>
          typedAgain(input.argv, options);
        const all = { values, argument, arguments: given, output, feedgate, signal, status, again };
        return await run(all);
      } catch (error) {
        const reason = stopReason(error);
        if (reason === undefined) throw error;
        const again = `to run it again: ${typedAgain(input.argv, {})}`;
        const known = isRefused(error) ? undefined : ifLost?.();
        throw new InterruptedError([reason, known, again].filter(Boolean).join("; "));
      } finally {
        status.clear();
        process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
      }
    },
  });
}

/** Why a command stopped, if it can be resumed: it was interrupted, or the client's retries were used up. */
export function stopReason(error: unknown): string | undefined {
  if (error instanceof Interrupt) return "interrupted";
  return error instanceof Error && isPassing(error) ? error.message : undefined;
}

/** Whether a limit was reached, so that the gateway has certainly done nothing. */
function isRefused(error: unknown): boolean {
  return error instanceof RateLimitedError || error instanceof TooManyWaitsError;
}

function clientOf(
  { values, environment, pauseMsMax }: Input<Options>,
  onRetry: (retry: Retry) => void,
): Feedgate<string> {
  // All client commands have these options.
  const { url = environment[URL_VARIABLE], key = environment[KEY_VARIABLE] } = values as {
    readonly url?: string;
    readonly key?: string;
  };
  if (!url) {
    throw new UsageError(
      key
        ? `no gateway given: set ${URL_VARIABLE} or --url, for example to http://127.0.0.1:3000`
        : `no gateway and no key given: set ${URL_VARIABLE} (such as http://127.0.0.1:3000) and ${KEY_VARIABLE}, or --url and --key`,
    );
  }
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw new UsageError(`the gateway address must begin with http:// or https://, got "${url}"`);
  }
  const mistake = headerMistake("the key", key ?? "");
  if (mistake !== undefined) {
    throw new UsageError(`${mistake}: set ${KEY_VARIABLE}, or --key, to the complete key`);
  }
  const parseRow = (text: string) => text;
  return new Feedgate({
    url,
    key: key || undefined,
    parseRow,
    parseJson: parseExact,
    onRetry,
    retries: RETRIES,
    ...(pauseMsMax !== undefined && { pauseMsMax }),
  });
}

/**
 * The command line with some options replaced. The key is replaced by a placeholder. Options are added before `--`,
 * because words after it are arguments.
 */
function typedAgain(
  argv: readonly string[],
  options: Readonly<Record<string, string | undefined>>,
): string {
  const found = argv.indexOf("--");
  const end = found < 0 ? argv.length : found;
  const kept: string[] = [];
  for (let place = 0; place < end; place++) {
    const word = argv[place] ?? "";
    const [name = "", value] = word.startsWith("--") ? word.slice(2).split(/=(.*)/s) : [];
    if (name === "key") {
      kept.push("--key KEY");
      if (value === undefined) place++;
    } else if (Object.hasOwn(options, name)) {
      if (value === undefined) place++;
    } else kept.push(shellWord(word));
  }
  const added = Object.entries(options).flatMap(([name, value]) =>
    // The command's words may come after `--`, too. Before them, only this form keeps the value with its option.
    value === undefined ? [] : [`--${name}${found < 0 ? " " : "="}${shellWord(value)}`],
  );
  const rest = argv.slice(end).map((word) => shellWord(word));
  return typed([...kept, ...added, ...rest].join(" "));
}

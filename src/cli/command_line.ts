/**
 * Parses the process's arguments into a command with typed input, and generates help and usage errors from the table of
 * commands.
 *
 * See `src/spec/decisions.md`, section 8.
 * @module
 */
import { parseArgs } from "node:util";
import { KEY_VARIABLE, URL_VARIABLE } from "../lib/client_variables.ts";
import { messageOf } from "../lib/error_fields.ts";
import { type Command, type Option, type Options, UsageError, type Values } from "./command.ts";
import { typed } from "./hints.ts";
import { flag, text } from "./options.ts";
import { fields } from "./output.ts";

/** Options of all commands, except client commands. */
const GLOBAL_OPTIONS = {
  json: flag("print only a single JSON value"),
  "data-dir": text(
    "folder of the embedded PostgreSQL; overrides FEEDGATE_DATA_DIR and DATABASE_URL",
    {
      placeholder: "D",
      lengthMax: 4_096,
    },
  ),
} satisfies Options;

/** Options of commands that call a gateway. */
const CLIENT_OPTIONS = {
  json: GLOBAL_OPTIONS.json,
  url: text(`address of the gateway; overrides ${URL_VARIABLE}`, {
    placeholder: "URL",
    lengthMax: 4_096,
  }),
  key: text(`read or write key; prefer ${KEY_VARIABLE}, which keeps the key out of process lists`, {
    placeholder: "KEY",
  }),
} satisfies Options;

/** Values of the shared options and of the command's own. */
type GivenValues = Partial<Values<typeof GLOBAL_OPTIONS>> & Readonly<Record<string, unknown>>;

/** What the command line requests. */
export type Request =
  /** Prints a help text. */
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "version" }
  | {
      readonly kind: "command";
      readonly command: Command;
      readonly values: GivenValues;
      readonly argument: string;
      readonly arguments: readonly string[];
    };

/** Whether the arguments name one of these commands. */
export function namesOneOf(commands: readonly Command[], argv: readonly string[]): boolean {
  const name = splitWords(argv, commands).words.join(" ");
  return commands.some(({ words }) => words === name);
}

/** @throws {UsageError} with a message of one line */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Request {
  const { words, rest, isHelp, isVersion } = splitWords(argv, commands);
  if (isVersion) return { kind: "version" };
  const named = commands.find((each) => each.words === words.join(" "));
  if (isHelp) return { kind: "help", text: named ? commandHelp(named) : overview(words, commands) };
  if (named === undefined) throw unknownCommand(words, commands);
  const command: Command = { ...named, options: { ...sharedOptions(named), ...named.options } };
  const { texts, given } = parseOptions(rest, command);
  const wanted = command.argument === undefined ? 0 : (command.argumentCount ?? 1);
  if (given.length < wanted || (given.length > wanted && command.isRepeated !== true)) {
    throw new UsageError(
      `expected ${command.argument ?? "no arguments"}, got ${given.length === 0 ? "none" : given.map((each) => `"${each}"`).join(", ")}; ${seeHelp(command.words)}`,
    );
  }
  return {
    kind: "command",
    command,
    values: readOptions(texts, command),
    argument: given[0] ?? "",
    arguments: given,
  };
}

function sharedOptions({ isClient = false }: Command): Options {
  return isClient ? CLIENT_OPTIONS : GLOBAL_OPTIONS;
}

/** Splits off the words that name the command. Flags may come before them. */
function splitWords(argv: readonly string[], commands: readonly Command[]) {
  const parsed = parseArgs({
    args: [...argv],
    options: {
      help: { type: "boolean" },
      version: { type: "boolean" },
      "data-dir": { type: "string" },
      url: { type: "string" },
      key: { type: "string" },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const positionals = parsed.tokens.filter((token) => token.kind === "positional");
  const isHelpWord = positionals[0]?.value === "help";
  const named = isHelpWord ? positionals.slice(1) : positionals;
  const isGroup = commands.some((each) => isIn(each, named[0]?.value));
  const words = named.slice(0, isGroup ? 2 : 1);
  const taken = new Set(words.map((token) => token.index));
  return {
    words: words.map((token) => token.value),
    rest: argv.filter((_, index) => !taken.has(index)),
    // Only whole arguments count: the value -1h contains no -h.
    isHelp: isHelpWord || argv.some((arg) => arg === "-h" || arg === "--help"),
    isVersion: argv.length === 1 && parsed.values.version === true,
  };
}

function parseOptions(rest: readonly string[], { words, options }: Command) {
  const texts: Record<string, string[]> = {};
  try {
    const { tokens, positionals } = parseArgs({
      args: joinDashed(rest, options),
      options: Object.fromEntries(
        Object.entries(options).map(([name, { placeholder }]) => [
          name,
          {
            type: placeholder === "" ? ("boolean" as const) : ("string" as const),
            multiple: true,
          },
        ]),
      ),
      strict: true,
      allowPositionals: true,
      tokens: true,
    });
    for (const token of tokens) {
      if (token.kind !== "option") continue;
      const before = texts[token.name] ?? [];
      if (before.length > 0 && options[token.name]?.isRepeated !== true) {
        throw new UsageError(`--${token.name} was given more than once`);
      }
      texts[token.name] = [...before, token.value ?? ""];
    }
    return { texts, given: positionals };
  } catch (error) {
    // Only the first sentence is about the command line. The rest is advice for callers of parseArgs.
    const [first = ""] = messageOf(error).split(/[\n.](?:\s|$)/);
    const message = first.replace(
      /^Option '(--[a-z-]+).*' argument is ambiguous$/,
      '$1 needs a value; write a value that begins with "--" as $1=VALUE',
    );
    throw new UsageError(`${message}; ${seeHelp(words)}`);
  }
}

/** Turns `--credits -5` into `--credits=-5`, as `parseArgs` requires. No command has single-dash options. */
function joinDashed(rest: readonly string[], options: Options): string[] {
  const joined: string[] = [];
  for (const arg of rest) {
    const before = joined.at(-1) ?? "";
    const takesValue = before.startsWith("--") && options[before.slice(2)]?.placeholder;
    if (takesValue && /^-[^-]/.test(arg)) joined[joined.length - 1] = `${before}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

function readOptions(
  texts: Readonly<Record<string, readonly string[]>>,
  { words, options }: Command,
): GivenValues {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const given = texts[name];
    if (given !== undefined) {
      for (const each of given) values[name] = option.read(each, `--${name}`, values[name]);
    } else if (option.isRequired) {
      throw new UsageError(`${optionUsage(name, option)} is required; ${seeHelp(words)}`);
    }
  }
  return values as GivenValues;
}

/** Whether the command belongs to a group, as `account create` does to `account`. */
function isIn(command: Command, group: string | undefined): boolean {
  return command.words.startsWith(`${group} `);
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): UsageError {
  const name = words.join(" ");
  const inGroup = commands.filter((each) => isIn(each, words[0]));
  const known =
    inGroup.length > 0
      ? inGroup.map((each) => each.words)
      : new Set(commands.map((each) => each.words.replace(/ .*/, "")));
  const list = [...known].join(", ");
  const isGroup = inGroup.length > 0 && words.length === 1;
  const missing = name === "" || isGroup ? "no command given" : `unknown command "${name}"`;
  return new UsageError(`${missing}; available: ${list}; ${seeHelp("")}`);
}

function seeHelp(words: string): string {
  return `see ${typed(`${words}${words && " "}--help`)}`;
}

/** Help for all commands or for one group. @throws {UsageError} if the words name neither */
function overview(words: readonly string[], commands: readonly Command[]): string {
  const listed = commands.filter((each) => words[0] === undefined || isIn(each, words.join(" ")));
  if (listed.length === 0) throw unknownCommand(words, commands);
  return [
    `Usage: ${typed("<command> [options]")}`,
    "",
    indented(listed.map((each) => [each.words, each.about])),
    "",
    "Options of all operator commands:",
    optionList(GLOBAL_OPTIONS),
    "",
    "Options of all commands for agents and providers:",
    optionList(CLIENT_OPTIONS),
    "",
    `${typed("<command> --help")} describes a command, --version shows the version.`,
    "Exit codes: 0 success, 1 refused, 2 incorrect usage or environment, 3 interrupted or gateway unreachable, can be resumed.",
  ].join("\n");
}

function commandHelp(command: Command): string {
  const argument = (command.argument ?? "") + (command.isRepeated ? "…" : "");
  const usages = Object.entries(command.options).map(([name, option]) => {
    const usage = optionUsage(name, option);
    return option.isRequired ? usage : `[${usage}]`;
  });
  const parts = [`Usage: ${typed(command.words)}`, argument, ...usages];
  return [
    parts.filter((part) => part !== "").join(" "),
    "",
    `${command.about[0]?.toUpperCase()}${command.about.slice(1)}.`,
    "",
    optionList({ ...command.options, ...sharedOptions(command) }),
  ].join("\n");
}

function optionList(options: Options): string {
  return indented(
    Object.entries(options).map(([name, option]) => [optionUsage(name, option), option.about]),
  );
}

function indented(pairs: readonly (readonly [string, string])[]): string {
  return fields(Object.fromEntries(pairs)).replace(/^/gm, "  ");
}

function optionUsage(name: string, option: Option<unknown, boolean>): string {
  return `--${name}${option.placeholder && ` ${option.placeholder}`}`;
}

/**
 * Parses the arguments of the process into a command and its typed input, and writes every help text.
 *
 * Usage, help and messages of wrong usage are made from the table of commands. Decisions 8 and 10.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { version } from "../../package.json" with { type: "json" };
import { messageOf } from "../lib/error_fields.ts";
import { type Command, type Option, type Options, UsageError } from "./command.ts";
import { flag, text } from "./options.ts";
import { fields } from "./output.ts";

/** Every command takes these. */
const GLOBAL_OPTIONS = {
  json: flag("print one JSON value and nothing else"),
  "data-dir": text({
    placeholder: "D",
    about: "folder of the embedded PostgreSQL, in place of FEEDGATE_DATA_DIR and DATABASE_URL",
    lengthMax: 4_096,
  }),
} satisfies Options;

/** What the process was asked for. */
export type Request =
  /** Help or version: to be printed. */
  | { readonly kind: "help"; readonly text: string }
  | {
      readonly kind: "command";
      readonly command: Command;
      readonly values: Readonly<Record<string, unknown>>;
      readonly arguments: readonly string[];
      readonly isJson: boolean;
      readonly dataDir: string | undefined;
    };

/** @throws {UsageError} whose message is one line. */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Request {
  const { words, rest, isHelp, isVersion } = splitWords(argv, commands);
  if (isVersion) return { kind: "help", text: `feedgate ${version}` };
  const command = commands.find((each) => each.words === words.join(" "));
  if (isHelp) return { kind: "help", text: helpFor(words, commands) };
  if (command === undefined) throw unknownCommand(words, commands);
  const options: Options = { ...GLOBAL_OPTIONS, ...command.options };
  const { texts, given } = parseOptions(rest, { command, options });
  const wanted = command.arguments ?? [];
  const isFew = given.length < wanted.length;
  if (isFew || (given.length > wanted.length && command.isRepeated !== true)) {
    throw new UsageError(
      `expected ${wanted.join(", ") || "no argument"} and got ${given.length === 0 ? "none" : given.map((each) => `"${each}"`).join(", ")}; ${seeHelp(command.words)}`,
    );
  }
  const values = readOptions(texts, { command, options });
  const { "data-dir": dataDir } = values;
  return {
    kind: "command",
    command,
    values,
    arguments: given,
    isJson: values.json === true,
    dataDir: typeof dataDir === "string" ? dataDir : undefined,
  };
}

/** The words that name the command, which may come after flags, and the other arguments. */
function splitWords(argv: readonly string[], commands: readonly Command[]) {
  const parsed = parseArgs({
    args: [...argv],
    options: {
      help: { type: "boolean", short: "h" },
      version: { type: "boolean" },
      "data-dir": { type: "string" },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const positionals = parsed.tokens.filter((token) => token.kind === "positional");
  const isHelpWord = positionals[0]?.value === "help";
  const named = isHelpWord ? positionals.slice(1) : positionals;
  const isGroup = commands.some((each) => each.words.startsWith(`${named[0]?.value} `));
  const words = named.slice(0, isGroup ? 2 : 1);
  const taken = new Set(words.map((token) => token.index));
  return {
    words: words.map((token) => token.value),
    rest: argv.filter((_, index) => !taken.has(index)),
    isHelp: isHelpWord || parsed.values.help === true,
    isVersion: argv.length === 1 && parsed.values.version === true,
  };
}

interface Known {
  readonly command: Command;
  readonly options: Options;
}

function parseOptions(rest: readonly string[], { command, options }: Known) {
  const texts: Record<string, string> = {};
  try {
    const { tokens, positionals } = parseArgs({
      args: joinDashed(rest, options),
      options: Object.fromEntries(
        Object.entries(options).map(([name, { placeholder }]) => [
          name,
          { type: placeholder === "" ? ("boolean" as const) : ("string" as const) },
        ]),
      ),
      strict: true,
      allowPositionals: true,
      tokens: true,
    });
    for (const token of tokens) {
      if (token.kind !== "option") continue;
      if (Object.hasOwn(texts, token.name)) throw new UsageError(`--${token.name} is given twice`);
      texts[token.name] = token.value ?? "";
    }
    return { texts, given: positionals };
  } catch (error) {
    // Only the first sentence is about the call; the others are about parseArgs.
    const [first = ""] = messageOf(error).split(/[\n.](?:\s|$)/);
    const message = first.replace(
      /^Option '(--[a-z-]+).*' argument is ambiguous$/,
      '$1 is missing its value; write one that begins with "--" as $1=VALUE',
    );
    throw new UsageError(`${message}; ${seeHelp(command.words)}`);
  }
}

/** No command has options of one dash, so `--credits -5` is `--credits=-5`, which `parseArgs` asks for. */
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

function readOptions(texts: Readonly<Record<string, string>>, { command, options }: Known) {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const given = texts[name];
    if (given !== undefined) values[name] = option.read(given, `--${name}`);
    else if (option.isRequired) {
      throw new UsageError(`${optionUsage(name, option)} is missing; ${seeHelp(command.words)}`);
    }
  }
  return values;
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): UsageError {
  const name = words.join(" ");
  const inGroup = commands.filter((each) => each.words.startsWith(`${words[0]} `));
  const known =
    inGroup.length > 0
      ? inGroup.map((each) => each.words)
      : new Set(commands.map((each) => each.words.replace(/ .*/, "")));
  const list = [...known].join(", ");
  const isGroup = inGroup.length > 0 && words.length === 1;
  const missing = name === "" || isGroup ? "a command is missing" : `there is no command "${name}"`;
  return new UsageError(`${missing}: use one of ${list}; ${seeHelp("")}`);
}

function seeHelp(words: string): string {
  return `see feedgate ${words}${words && " "}--help`;
}

/** Help for all, for a group or for one command. @throws {UsageError} for what is no command. */
function helpFor(words: readonly string[], commands: readonly Command[]): string {
  const name = words.join(" ");
  const command = commands.find((each) => each.words === name);
  if (command !== undefined) return commandHelp(command);
  const group = commands.filter((each) => each.words.startsWith(`${name} `));
  if (name !== "" && group.length === 0) throw unknownCommand(words, commands);
  return overview(name === "" ? commands : group);
}

function overview(commands: readonly Command[]): string {
  return [
    "Usage: feedgate <command> [options]",
    "",
    indented(commands.map((each) => [each.words, each.about])),
    "",
    "Every command takes:",
    optionList(GLOBAL_OPTIONS),
    "",
    "feedgate <command> --help tells more, feedgate --version which it is.",
    "Exit codes: 0 done, 1 refused, 2 wrong usage or environment.",
  ].join("\n");
}

function commandHelp(command: Command): string {
  const names = (command.arguments ?? []).join(" ") + (command.isRepeated ? "…" : "");
  const usages = Object.entries(command.options).map(([name, option]) => {
    const usage = optionUsage(name, option);
    return option.isRequired ? usage : `[${usage}]`;
  });
  const parts = ["Usage: feedgate", command.words, names, ...usages];
  return [
    parts.filter((part) => part !== "").join(" "),
    "",
    `${command.about[0]?.toUpperCase()}${command.about.slice(1)}.`,
    "",
    optionList({ ...command.options, ...GLOBAL_OPTIONS }),
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

function optionUsage(name: string, option: Option<unknown>): string {
  return `--${name}${option.placeholder && ` ${option.placeholder}`}`;
}

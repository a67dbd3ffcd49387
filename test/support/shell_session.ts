/**
 * Runs the shell sessions of a guide as a reader would: line by line, in one shell, against a gateway.
 *
 * Every fenced block of a guide that is marked `console` or `sh` is part of its session. In a `console` block, a line
 * that begins with `$ ` is a command, and the lines after it are its output. A `sh` block contains only commands, each
 * of which must succeed. A command that ends in `^C` is interrupted after a while.
 *
 * In output, `…` stands for anything, and after letters or digits for the rest of a word. Line breaks and spaces are
 * ignored. An id, or a time with six decimals, stands for any other. When a later command contains an id or a key of
 * the guide, it is replaced by the one that was actually printed.
 *
 * @module
 */
import { expect } from "bun:test";

/** The address that guides use. */
const GUIDE_ADDRESS = "127.0.0.1:3000";
/** Printed by the shell after a command, with its exit code. */
const MARK = "\u0001";
/** Longer than the interval between two comments of an event stream. */
const INTERRUPT_SECONDS = 6;
/** The exit code of `timeout` after it has interrupted a command. */
const INTERRUPTED = 124;

/** A complete id, or its first eight digits followed by `…`. */
const ID = /[0-9a-f]{8}-(?:…|[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/;
const KEY = /fg_(read|write|admin)_(?:…|[a-z]{1,4}\b)/;
const PRINTED_KEY = /fg_(read|write|admin)_[0-9A-Za-z]{38}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/;
const PARTS = new RegExp(
  `(?<id>${ID.source})|(?<time>${TIME.source})|(?<word>[\\w-]+)…|(?<rest>…)|(?<space>\\s+)`,
  "g",
);

export interface ShellCommand {
  readonly text: string;
  /** The output that the guide shows; undefined in a `sh` block. */
  readonly printed: string | undefined;
}

export interface SessionOptions {
  /** `host:port` of the gateway. */
  readonly address: string;
  /** The home and working folder of the shell. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The keys that the reader already has. */
  readonly keys: readonly string[];
}

/** The commands of a guide, in order. */
export function commandsOf(markdown: string): ShellCommand[] {
  const blocks = [...markdown.matchAll(/^```(console|sh)\n(.*?)^```$/gms)];
  return blocks.flatMap(([, kind, block = ""]) =>
    kind === "sh" ? plainCommands(block) : shownCommands(block),
  );
}

function plainCommands(block: string): ShellCommand[] {
  const lines = block.split(/(?<!\\)\n/).filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((text) => ({ text, printed: undefined }));
}

function shownCommands(block: string): ShellCommand[] {
  const parts = block.split(/^\$ /m).filter((part) => part.trim() !== "");
  return parts.map((part) => {
    const [text = ""] = /^(?:.*\\\n)*.*\n/.exec(part) ?? [];
    return { text: text.trim(), printed: part.slice(text.length).trim() };
  });
}

/** Runs the commands, and compares their output with the guide. */
export async function runSession(
  commands: readonly ShellCommand[],
  options: SessionOptions,
): Promise<void> {
  const { address, folder, environment } = options;
  const keys = new Map<string, string>();
  const ids = new Map<string, string>();
  const learnKeys = (text: string) => {
    for (const [key, permission = ""] of text.matchAll(PRINTED_KEY)) keys.set(permission, key);
  };
  learnKeys(options.keys.join(" "));
  const shell = Bun.spawn(["sh"], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment, HOME: folder },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const reader = shell.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const run = async (command: string) => {
    shell.stdin.write(`{ ${command}\n} 2>&1 < /dev/null; printf '${MARK}%s${MARK}' $?\n`);
    let output = "";
    while (output.split(MARK).length < 3) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the shell ended at ${command}: ${output}`);
      output += value;
    }
    const [text = "", code] = output.split(MARK);
    return { text: text.replaceAll("\r", ""), code: Number(code) };
  };
  for (const { text, printed } of commands) {
    const isInterrupted = printed?.endsWith("^C") ?? false;
    const command = text
      .replaceAll(GUIDE_ADDRESS, address)
      .replace(new RegExp(ID, "g"), (id) => known(ids, id.slice(0, 8)))
      .replace(new RegExp(KEY, "g"), (shown, permission) => {
        const key = known(keys, permission);
        return shown.endsWith("…") ? key : key.slice(0, shown.length);
      });
    const result = await run(
      isInterrupted ? `timeout -s INT ${INTERRUPT_SECONDS} ${command}` : command,
    );
    const output = result.text.replaceAll(address, GUIDE_ADDRESS);
    expect({ command, output, code: result.code }).toMatchObject({
      code: isInterrupted ? INTERRUPTED : 0,
    });
    learnKeys(output);
    if (printed === undefined) expect(output).not.toMatch(/"code":"[A-Z_]+"/);
    else expectPrinted(output, { text, printed: printed.replace(/\^C$/, ""), ids });
  }
  shell.stdin.end();
  await shell.exited;
}

function known(values: ReadonlyMap<string, string>, name: string): string {
  const value = values.get(name);
  if (value === undefined) throw new Error(`no earlier command printed ${name}`);
  return value;
}

interface Shown {
  readonly text: string;
  readonly printed: string;
  /** Actual ids by the first eight digits of the guide's. An id is added when it is first printed. */
  readonly ids: Map<string, string>;
}

function expectPrinted(output: string, { text, printed, ids }: Shown): void {
  const names: string[] = [];
  let end = 0;
  let pattern = "";
  for (const match of printed.matchAll(PARTS)) {
    pattern += literally(printed.slice(end, match.index));
    end = match.index + match[0].length;
    const { id, time, word, space } = match.groups ?? {};
    if (id !== undefined) {
      const name = id.slice(0, 8);
      const first = names.indexOf(name);
      if (ids.has(name)) pattern += known(ids, name);
      else if (first >= 0) pattern += `\\${first + 1}`;
      else pattern += `([0-9a-f-]{36})`;
      if (!ids.has(name) && first < 0) names.push(name);
    } else if (time !== undefined) pattern += TIME.source;
    else if (word !== undefined) pattern += `${word.startsWith("fg_") ? word : ""}[\\w-]+`;
    else pattern += space === undefined ? "[\\s\\S]*?" : "\\s*";
  }
  pattern += literally(printed.slice(end));
  const match = new RegExp(`^\\s*${pattern}\\s*$`).exec(output);
  if (match === null)
    throw new Error(`$ ${text}\nprints\n${output}\nand the guide shows\n${printed}`);
  for (const [index, name] of names.entries()) ids.set(name, match[index + 1] ?? "");
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

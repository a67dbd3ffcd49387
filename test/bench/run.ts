/**
 * `bun run bench` runs every benchmark, `bun run bench NAME` one of them. The arguments after the name are passed to
 * the benchmark, except `--out FILE`, which also writes the figures as JSON.
 *
 * A benchmark is a file in this folder that exports `bench`: it prints its table and returns its figures. None fails
 * because of a slow result.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { Glob } from "bun";
import { BenchUsageError, isUsageMistake } from "./usage.ts";

/** The figures of one benchmark, as rows of a table. */
export type Figures = Readonly<Record<string, string | number | boolean>>[];

export type Bench = (args: readonly string[]) => Promise<Figures>;

/** Files in this folder that are not benchmarks. */
const HELPERS: ReadonlySet<string> = new Set([
  "run",
  "support",
  "load",
  "processes",
  "fill",
  "usage",
  "gateways",
  "windows",
  "cold_reads",
]);
const FOLDER = Bun.fileURLToPath(new URL("./", import.meta.url));

/** The parsed command line. */
interface Order {
  /** Undefined for all of them. */
  readonly name: string | undefined;
  /** The benchmark's own arguments. */
  readonly args: readonly string[];
  /** The file for the figures. */
  readonly out: string | undefined;
}

async function main(): Promise<void> {
  try {
    await run(readOrder(process.argv.slice(2)));
  } catch (error) {
    if (!isUsageMistake(error)) throw error;
    // After its first line, parseArgs explains only its own options.
    console.error(`bench: ${error.message.split("\n")[0]}`);
    process.exit(2);
  }
  process.exit(0);
}

/** @throws {BenchUsageError} */
function readOrder(argv: readonly string[]): Order {
  const given = argv.filter((arg) => arg !== "--");
  const { tokens } = parseArgs({
    args: given,
    options: { out: { type: "string" } },
    strict: false,
    tokens: true,
  });
  const name = tokens.find((token) => token.kind === "positional");
  const out = tokens.flatMap((token) =>
    token.kind === "option" && token.name === "out" ? [token] : [],
  )[0];
  if (out !== undefined && out.value === undefined) {
    throw new BenchUsageError("--out needs a FILE");
  }
  const taken = new Set([name?.index, out?.index]);
  if (out?.inlineValue === false) taken.add(out.index + 1);
  const args = given.filter((_, index) => !taken.has(index));
  if (name === undefined && args.length > 0) {
    throw new BenchUsageError(`"${args[0]}" must come after the name of its benchmark`);
  }
  return { name: name && given[name.index], args, out: out?.value };
}

async function run({ name: wanted, args, out }: Order): Promise<void> {
  const names = [...new Glob("*.ts").scanSync(FOLDER)]
    .map((file) => file.replace(/\.ts$/, ""))
    .filter((name) => !HELPERS.has(name))
    .sort();
  if (wanted !== undefined && !names.includes(wanted)) {
    throw new BenchUsageError(`there is no benchmark "${wanted}"; there are: ${names.join(", ")}`);
  }
  const all: Record<string, Figures> = {};
  for (const name of wanted === undefined ? names : [wanted]) {
    const { bench } = (await import(`./${name}.ts`)) as { bench: Bench };
    console.log(`\n# ${name} (${new Date().toISOString().slice(0, 10)}, ${machine()})`);
    all[name] = await bench(args);
    console.table(all[name]);
  }
  if (out !== undefined) await Bun.write(out, JSON.stringify(all, null, 2));
}

function machine(): string {
  return `${navigator.hardwareConcurrency} cores, ${process.platform} ${process.arch}, Bun ${Bun.version}`;
}

if (import.meta.main) await main();

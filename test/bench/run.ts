/**
 * `bun run bench` runs every benchmark, `bun run bench <name>` one of them; `--out FILE` also writes the
 * figures as JSON. What follows `--` goes to the benchmark.
 *
 * A benchmark is a file here that exports `bench`: it prints its table and returns its figures. None
 * fails by time.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { Glob } from "bun";

/** Figures of one benchmark: rows of a table. */
export type Figures = Readonly<Record<string, string | number | boolean>>[];

export type Bench = (args: readonly string[]) => Promise<Figures>;

/** Files here that are no benchmark. */
const HELPERS: ReadonlySet<string> = new Set(["run", "support", "load", "processes", "fill"]);
const FOLDER = Bun.fileURLToPath(new URL("./", import.meta.url));

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    options: { out: { type: "string" } },
    allowPositionals: true,
  });
  const names = [...new Glob("*.ts").scanSync(FOLDER)]
    .map((file) => file.replace(/\.ts$/, ""))
    .filter((name) => !HELPERS.has(name))
    .sort();
  const [wanted, ...args] = positionals;
  if (wanted !== undefined && !names.includes(wanted)) {
    console.error(`there is no benchmark "${wanted}"; there are: ${names.join(", ")}`);
    process.exit(2);
  }
  await installPeers();
  const all: Record<string, Figures> = {};
  for (const name of wanted === undefined ? names : [wanted]) {
    const { bench } = (await import(`./${name}.ts`)) as { bench: Bench };
    console.log(`\n# ${name} (${new Date().toISOString().slice(0, 10)}, ${machine()})`);
    all[name] = await bench(args);
    console.table(all[name]);
  }
  if (values.out !== undefined) await Bun.write(values.out, JSON.stringify(all, null, 2));
  process.exit(0);
}

function machine(): string {
  return `${navigator.hardwareConcurrency} cores, ${process.platform} ${process.arch}, Bun ${Bun.version}`;
}

/** The peers' packages are this folder's own, so that nobody else installs them. */
async function installPeers(): Promise<void> {
  if (existsSync(`${FOLDER}node_modules`)) return;
  const child = Bun.spawn([process.execPath, "install", "--silent"], { cwd: FOLDER });
  if ((await child.exited) !== 0) throw new Error("the benchmarks' peers could not be installed");
}

if (import.meta.main) await main();

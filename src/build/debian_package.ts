/**
 * Builds a Debian package of an executable: the program, its systemd unit, its settings as a conffile, and maintainer
 * scripts that create the service's user and start the service.
 *
 * A package is an `ar` archive of two tar archives (deb(5)). They are written here, so that the package can be built on
 * any system, and two builds of a commit are identical. The package's files are in `src/deploy/debian`.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TarFile, writeTar } from "./write_tar.ts";

const ROOT = join(import.meta.dir, "../..");
const DEPLOY = join(ROOT, "src/deploy");
const PARTS = join(DEPLOY, "debian");
const BYTES_PER_KIB = 1_024;
const PROGRAM_MODE = 0o755;
const SECRET_MODE = 0o600;
/** gzip levels. A higher level would take twice as long for the program, and save 1%. */
const DATA_LEVEL = 6;
const DOCUMENT_LEVEL = 9;

/** Debian's architecture names, by target. */
export const DEBIAN_ARCHITECTURES = { "linux-x64": "amd64", "linux-arm64": "arm64" } as const;

/** Input of a package. */
export interface DebianPackage {
  readonly executable: Uint8Array;
  /** Debian's architecture name, such as `amd64`. */
  readonly architecture: string;
  /** Version of the program, such as `0.3.0`. */
  readonly version: string;
  /** Name and email address, such as `Jane Doe <jane@example.com>`. */
  readonly maintainer: string;
  /** Modification time of the files, in Unix epoch seconds. @default the time of the commit */
  readonly builtSeconds?: number;
}

/** The version in Debian's sort order: `0.3.0~dev` sorts before `0.3.0`. */
export function debianVersion(version: string): string {
  return `${version.replaceAll("-", "~")}-1`;
}

/** Returns the bytes of the package. */
export function debianPackage(wanted: DebianPackage): Buffer {
  const builtSeconds = wanted.builtSeconds ?? commitSeconds();
  const files = contents(wanted, builtSeconds);
  const control = {
    "./": folder(),
    "./control": text(controlText(wanted, files)),
    "./conffiles": text("/etc/feedgate.env\n"),
    "./md5sums": text(sumsOf(files)),
    ...scripts(["postinst", "prerm", "postrm"]),
  };
  return writeAr(
    {
      "debian-binary": text("2.0\n"),
      "control.tar.gz": gzip(writeTar(control, builtSeconds), DATA_LEVEL),
      "data.tar.gz": gzip(writeTar(withFolders(files), builtSeconds), DATA_LEVEL),
    },
    builtSeconds,
  );
}

/** The files that the package installs, by path. */
function contents(
  { executable, version, maintainer }: DebianPackage,
  builtSeconds: number,
): Record<string, Uint8Array | TarFile> {
  const unit = readFileSync(join(DEPLOY, "feedgate.service"), "utf8")
    .replace(/^# .*\n/, "# systemd unit for a gateway. Settings are in /etc/feedgate.env.\n")
    .replace("[Service]", "Documentation=man:feedgate(1)\n\n[Service]")
    .replace(/\n\n(Documentation=.*\n)/, "\n$1")
    .replaceAll("/usr/local/bin/feedgate", "/usr/bin/feedgate");
  const documents = "./usr/share/doc/feedgate";
  return {
    "./etc/feedgate.env": { content: part("feedgate.env"), mode: SECRET_MODE },
    "./usr/lib/systemd/system/feedgate.service": text(unit),
    "./usr/bin/feedgate": { content: executable, mode: PROGRAM_MODE },
    [`${documents}/changelog.Debian.gz`]: gzip(
      text(changelogEntry({ version, maintainer, builtSeconds })),
    ),
    [`${documents}/changelog.gz`]: gzip(readFileSync(join(ROOT, "CHANGELOG.md"))),
    [`${documents}/copyright`]: text(copyrightText()),
    "./usr/share/lintian/overrides/feedgate": part("lintian-overrides"),
    "./usr/share/man/man1/feedgate.1.gz": gzip(part("feedgate.1")),
  };
}

function controlText(
  { architecture, version, maintainer }: DebianPackage,
  files: Readonly<Record<string, Uint8Array | TarFile>>,
): string {
  const bytes = Object.values(files).reduce((sum, file) => sum + bytesOf(file).length, 0);
  return `Package: feedgate
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${Math.ceil(bytes / BYTES_PER_KIB)}
Depends: adduser, init-system-helpers (>= 1.52), libc6 (>= 2.28)
Recommends: ca-certificates, systemd
Section: net
Priority: optional
Description: gateway for JSON feeds that AI agents find, read and pay for
 Providers push JSON feeds. Agents find them, read them and pay for them over
 plain HTTP. Every read is authenticated, limited, charged and logged before
 its response is sent.
 .
 The program contains PostgreSQL. The service uses it unless you configure a
 database of your own in /etc/feedgate.env.
`;
}

function changelogEntry(entry: {
  readonly version: string;
  readonly maintainer: string;
  readonly builtSeconds: number;
}): string {
  const { version, maintainer, builtSeconds } = entry;
  const day = new Date(builtSeconds * 1_000).toUTCString().replace("GMT", "+0000");
  return `feedgate (${debianVersion(version)}) stable; urgency=medium

  * Package of Feedgate ${version}. Its changes are in changelog.gz.

 -- ${maintainer}  ${day}
`;
}

/** The license in Debian's format: lines are indented by a space, and a dot stands for an empty line. */
function copyrightText(): string {
  const [, ...paragraphs] = readFileSync(join(ROOT, "LICENSE"), "utf8")
    .trim()
    .split(/^Copyright .*\n\n/m);
  const license = paragraphs.join("").replace(/^$/gm, ".").replace(/^/gm, " ");
  return part("copyright")
    .toString()
    .replace("@LICENSE@", () => license);
}

function scripts(names: readonly string[]): Record<string, TarFile> {
  return Object.fromEntries(
    names.map((name) => [`./${name}`, { content: part(name), mode: PROGRAM_MODE }]),
  );
}

/** MD5 digests for `dpkg --verify`. The format supports no other digest. */
function sumsOf(files: Readonly<Record<string, Uint8Array | TarFile>>): string {
  return Object.entries(files)
    .filter(([path]) => !path.startsWith("./etc/"))
    .map(([path, file]) => {
      const sum = createHash("md5").update(bytesOf(file)).digest("hex");
      return `${sum}  ${path.slice(2)}\n`;
    })
    .join("");
}

/** Adds the parent folders of the files, each before its contents. */
function withFolders(files: Readonly<Record<string, Uint8Array | TarFile>>) {
  const all: Record<string, Uint8Array | TarFile> = {};
  for (const [path, file] of Object.entries(files)) {
    const names = path.split("/").slice(0, -1);
    for (const place of names.keys()) all[`${names.slice(0, place + 1).join("/")}/`] ??= folder();
    all[path] = file;
  }
  return all;
}

/** Writes the common ar(5) format, whose members begin at even offsets. */
function writeAr(members: Readonly<Record<string, Uint8Array>>, modifiedSeconds: number): Buffer {
  const blocks: Uint8Array[] = [text("!<arch>\n")];
  for (const [name, content] of Object.entries(members)) {
    const fields = [
      name.padEnd(16),
      String(modifiedSeconds).padEnd(12),
      ...["0".padEnd(6), "0".padEnd(6), "100644".padEnd(8)],
      String(content.length).padEnd(10),
    ];
    blocks.push(text(`${fields.join("")}\`\n`), content);
    if (content.length % 2 === 1) blocks.push(text("\n"));
  }
  return Buffer.concat(blocks);
}

/** The time of the commit, or the beginning of 2026 outside a git repository. */
function commitSeconds(): number {
  const { status, stdout } = spawnSync("git", ["log", "-1", "--format=%ct"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return status === 0 ? Number(stdout) : Date.UTC(2026, 0) / 1_000;
}

function gzip(content: Uint8Array, level: 6 | 9 = DOCUMENT_LEVEL): Uint8Array {
  return Bun.gzipSync(new Uint8Array(content), { level });
}

function bytesOf(file: Uint8Array | TarFile): Uint8Array {
  return file instanceof Uint8Array ? file : file.content;
}

function part(name: string): Buffer {
  return readFileSync(join(PARTS, name));
}

function text(content: string): Buffer {
  return Buffer.from(content);
}

function folder(): Buffer {
  return Buffer.alloc(0);
}

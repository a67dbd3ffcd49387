/**
 * `bun run test:packages`: a release on a new Debian with its own systemd, without Bun, Node or PostgreSQL. Feedgate comes
 * there from nothing to a read, is upgraded to a build with a higher version, rolled back, and removed without a trace but
 * its data: first by the script `install`, then by the Debian package, with the shell lines of the guides "Install" and
 * "Upgrade" as printed.
 *
 * For root, on Debian, with `debootstrap`; `lintian` checks the package if it is installed. Takes some minutes.
 *
 * @module
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { assembleRelease } from "../../src/build/assemble_release.ts";
import { VERSION } from "../../src/lib/program_version.ts";
import { freePort } from "../support/free_port.ts";
import { type BootedMachine, bootMachine } from "./boot_machine.ts";
import { buildNext, NEXT_VERSION } from "./build_next.ts";
import { firstRead, type Installed, readAgain, untilServed } from "./first_read.ts";
import { runProgram } from "./run_program.ts";

const ROOT = resolve(import.meta.dir, "../..");
const GUIDES = join(ROOT, "src/docs/guides");
const DATA_DIR = "/var/lib/feedgate";
const MAINTAINER = "A Test <test@feedgate.dev>";
const EXECUTABLE = "feedgate-linux-x64";
/** Data that the guides keep, what the system itself writes, and the downloads of whoever installs. */
const KEPT =
  /^\/(var\/(lib\/(feedgate|systemd|dpkg|apt|private)|backups|log|tmp|cache\/(apt|debconf|man|ldconfig|private))|root|proc|sys|dev|run|tmp)\b/;

const folder = mkdtempSync("/var/tmp/feedgate-packages-");
// Reachable for the accounts in it.
chmodSync(folder, 0o755);

/** What is missing for this test; undefined if nothing is. */
function missingPart(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return "this is not Linux on x64";
  if (process.getuid?.() !== 0) return "this is not root";
  if (Bun.which("debootstrap") === null) return "debootstrap is not installed";
  return undefined;
}

/** A folder of a release, served at an address. */
function release(name: string, executable: string, version: string) {
  const files = join(folder, "releases", name);
  mkdirSync(files, { recursive: true });
  cpSync(executable, join(files, EXECUTABLE));
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  assembleRelease(files, { url, maintainer: MAINTAINER, version });
  // In a process of its own, since this one waits while the machine downloads.
  const program = `Bun.serve({ hostname: "127.0.0.1", port: ${port}, fetch: ({ url }) =>
    new Response(Bun.file(${JSON.stringify(files)} + new URL(url).pathname)) })`;
  const server = spawn(process.execPath, ["-e", program], { stdio: "ignore" });
  return { url, files, stop: () => server.kill() };
}

/** What lintian says of errors and warnings. Its list of checks is that of the Debian that it runs on. */
function checkPackage(files: string): void {
  if (Bun.which("lintian") === null) {
    console.log("skipped: lintian is not installed");
    return;
  }
  const argv = ["--allow-root", "--fail-on=error,warning", join(files, "feedgate_amd64.deb")];
  runProgram("lintian", argv);
  console.log("# lintian finds nothing");
}

/** The shell blocks of a section of a guide, in order, with the release's address in place of the example's. */
function blocksOf(guide: string, heading: string): readonly string[] {
  const [, section] = readFileSync(join(GUIDES, `${guide}.md`), "utf8").split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`${guide}.md has no section "${heading}"`);
  const [text = ""] = section.split("\n## ");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

/** All files of the machine that a removal should leave as they were. */
function listing({ type }: BootedMachine): ReadonlySet<string> {
  const lines = type("find / -xdev -not -type d 2>/dev/null || true").split("\n");
  return new Set(lines.filter((line) => line !== "" && !KEPT.test(line)));
}

class Machine implements Installed {
  readonly baseUrl: string;
  readonly dataDir = "/var/lib/feedgate";
  readonly #machine: BootedMachine;
  readonly #port: number;

  constructor(machine: BootedMachine, port: number) {
    this.#machine = machine;
    this.#port = port;
    this.baseUrl = `http://127.0.0.1:${port}`;
  }

  type = (lines: string): string => this.#machine.type(lines);

  /** Pastes blocks of a guide, after the one that names the release. */
  paste(url: string, blocks: readonly string[]): string {
    if (blocks.length === 0) throw new Error("there is nothing to paste");
    return blocks.map((block) => this.type(`RELEASE=${url}\n${block}`)).join("");
  }

  /** Another port, as the machine has the network of this one. */
  setPort(): void {
    this.type(`umask 077 && echo PORT=${this.#port} >> /etc/feedgate.env`);
  }

  untilServed(): Promise<void> {
    return untilServed(this, "journalctl -u feedgate --no-pager | tail");
  }

  requireVersion(version: string): void {
    const printed = this.type("feedgate --version");
    const [, found] = /^feedgate ([^ ,]+)/.exec(printed) ?? [];
    if (found !== version) throw new Error(`it is ${printed}`);
  }

  requireActive(): void {
    const states = this.type("systemctl is-enabled feedgate; systemctl is-active feedgate");
    if (states !== "enabled\nactive\n") throw new Error(`the service is ${states}`);
  }
}

type Release = ReturnType<typeof release>;

async function byScript(machine: Machine, first: Release, next: Release): Promise<void> {
  const [install = "", service = "", remove = ""] = blocksOf("install", "Install script");
  machine.setPort();
  machine.paste(first.url, [install, service]);
  await machine.untilServed();
  machine.requireActive();
  machine.requireVersion(VERSION);
  const readKey = await firstRead(machine);
  console.log("# script: from nothing to a read");

  machine.paste(next.url, blocksOf("upgrade", "Back up first"));
  machine.paste(next.url, blocksOf("upgrade", "With the install script"));
  await machine.untilServed();
  machine.requireVersion(NEXT_VERSION);
  await readAgain(machine, readKey);
  console.log("# script: upgraded");

  machine.paste(next.url, blocksOf("upgrade", "Roll back"));
  await machine.untilServed();
  machine.requireVersion(VERSION);
  await readAgain(machine, readKey);
  console.log("# script: rolled back");
  machine.paste(first.url, [remove]);
  machine.type(`rm -rf ${DATA_DIR} ${DATA_DIR}.* && userdel feedgate`);
}

async function byPackage(machine: Machine, first: Release, next: Release): Promise<void> {
  const [install = "", remove = ""] = blocksOf("install", "Debian package");
  // The service starts with the port of the guide, unless it is told another one: as where another program has that.
  machine.setPort();
  // Of a file that was there, dpkg asks, and keeps it where nobody answers.
  const answers = "export DEBIAN_FRONTEND=noninteractive\n";
  const kept = install.replace("install -y", "install -y -o Dpkg::Options::=--force-confold");
  machine.paste(first.url, [answers + kept]);
  await machine.untilServed();
  machine.requireActive();
  machine.requireVersion(VERSION);
  const readKey = await firstRead(machine);
  console.log("# package: from nothing to a read");

  machine.paste(next.url, blocksOf("upgrade", "Back up first"));
  machine.paste(next.url, [answers + blocksOf("upgrade", "With the Debian package").join("")]);
  await machine.untilServed();
  machine.requireActive();
  machine.requireVersion(NEXT_VERSION);
  await readAgain(machine, readKey);
  console.log("# package: upgraded, with the settings that were changed");
  machine.type("dpkg --verify feedgate | grep -v ' c /etc/feedgate.env$' && exit 1 || true");

  // Removed, it leaves its settings, and installed again it serves the same data.
  machine.type("apt-get remove -y feedgate && test -s /etc/feedgate.env");
  machine.paste(next.url, [answers + kept]);
  await machine.untilServed();
  machine.requireActive();
  await readAgain(machine, readKey);
  machine.paste(next.url, [remove]);
  machine.type(`test -d ${DATA_DIR}/pg18 && getent passwd feedgate`);
  machine.type(`rm -rf ${DATA_DIR} && deluser --quiet --system feedgate`);
  console.log("# package: removed and installed again, then purged, with its data kept");
}

/** What a way of installing left behind. */
function requireSame(before: ReadonlySet<string>, after: ReadonlySet<string>, name: string): void {
  const left = [...after].filter((path) => !before.has(path));
  const gone = [...before].filter((path) => !after.has(path));
  if (left.length + gone.length > 0) {
    throw new Error(`${name} left ${left.join(" ")} and removed ${gone.join(" ")}`);
  }
  console.log(`# ${name}: removed without a trace`);
}

async function main(): Promise<void> {
  const first = release("first", join(ROOT, "dist/feedgate"), VERSION);
  checkPackage(first.files);
  const next = release("next", buildNext(folder), NEXT_VERSION);
  const root = join(folder, "root");
  // Also what the package depends on or recommends: those stay when it is removed.
  const include = "--include=systemd,curl,adduser,ca-certificates";
  runProgram("debootstrap", ["--variant=minbase", include, "bookworm", root], { stdio: "ignore" });
  writeFileSync(join(root, "etc/hostname"), "machine\n");
  const booted = await bootMachine(root);
  try {
    const machine = new Machine(booted, freePort());
    // Account files have backups of before the last change, which come with the first account.
    machine.type("useradd --system first && userdel first");
    const before = listing(booted);
    await byScript(machine, first, next);
    requireSame(before, listing(booted), "script");
    await byPackage(machine, first, next);
    requireSame(before, listing(booted), "package");
  } finally {
    booted.halt();
    first.stop();
    next.stop();
  }
}

const missing = missingPart();
if (missing !== undefined) {
  console.log(`skipped: ${missing}`);
} else {
  try {
    await main();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

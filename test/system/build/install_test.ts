/** The script `install` of a release, against a release folder on this machine. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assembleRelease, CHECKSUMS } from "../../../src/build/assemble_release.ts";
import { temporaryFolder } from "../../support/folders.ts";

const TARGETS = ["linux-x64", "linux-arm64", "darwin-arm64"];
/** What the script needs apart from a program that downloads. */
const TOOLS = ["sh", "uname", "mktemp", "mkdir", "rm", "mv", "chmod", "sed", "cat", "sha256sum"];
const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;

let folder: string;
/** What the server sends in place of a file, by name. */
const altered = new Map<string, string | number>();
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch({ url }) {
    const name = new URL(url).pathname.slice(1);
    const other = altered.get(name);
    if (typeof other === "number") return new Response(null, { status: other });
    return new Response(other ?? (await Bun.file(join(folder, name)).bytes()));
  },
});

beforeAll(() => {
  folder = temporaryFolder();
  for (const target of TARGETS) {
    writeFileSync(join(folder, `feedgate-${target}`), `#!/bin/sh\necho "0.3.0 (${target})"\n`);
  }
  const url = server.url.origin;
  assembleRelease(folder, { url, maintainer: "A Test <test@example.com>" });
});
afterAll(() => server.stop(true));

/** Programs of these names, which are those of the machine or scripts. */
function programs(names: readonly string[], scripts: Readonly<Record<string, string>> = {}) {
  const path = temporaryFolder();
  for (const name of names) {
    const found = Bun.which(name);
    if (found !== null && !(name in scripts)) symlinkSync(found, join(path, name));
  }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(path, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(path, name), 0o755);
  }
  return path;
}

/** Runs the script as its users do: piped into a shell. */
async function install(
  environment: Readonly<Record<string, string>>,
  { asNobody = false }: { readonly asNobody?: boolean } = {},
) {
  const ids = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"];
  const child = Bun.spawn([...(asNobody && IS_ROOT ? ["setpriv", ...ids] : []), "sh"], {
    env: { PATH: process.env.PATH ?? "", HOME: temporaryFolder(), ...environment },
    stdin: Bun.file(join(folder, "install")),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

/** A target in an empty folder. */
const target = () => ({ FEEDGATE_INSTALL_DIR: join(temporaryFolder(), "bin") });

describe("the install script", () => {
  test.each(["curl", "wget"])(
    "installs with %s, replaces an older program, and says what is next",
    async (downloader) => {
      if (Bun.which(downloader) === null) {
        console.log(`skipped: ${downloader} is not installed`);
        return;
      }
      const machine = { uname: '[ "$1" = -s ] && echo Linux || echo x86_64' };
      const PATH = programs([...TOOLS, downloader], machine);
      const { FEEDGATE_INSTALL_DIR: bin } = target();
      mkdirSync(bin);
      writeFileSync(join(bin, "feedgate"), "an older one");
      const { code, out, err } = await install({ PATH, FEEDGATE_INSTALL_DIR: bin });
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toContain(`Installed Feedgate 0.3.0 (linux-x64) as ${bin}/feedgate\n`);
      expect(out).toContain(`${bin} is not on your PATH. To add it: export PATH="${bin}:$PATH"`);
      expect(out).toContain(`  ${bin}/feedgate demo `);
      expect(readdirSync(bin)).toEqual(["feedgate"]);
      const program = Bun.spawn([join(bin, "feedgate"), "--version"], { stdout: "pipe" });
      expect(await new Response(program.stdout).text()).toBe("0.3.0 (linux-x64)\n");
      const again = await install({ PATH: `${PATH}:${bin}`, FEEDGATE_INSTALL_DIR: bin });
      expect(again.out).not.toContain("PATH");
      expect(again.out).toContain("  feedgate demo ");
    },
  );

  test.each([
    ["Linux", "aarch64", "linux-arm64"],
    ["Darwin", "arm64", "darwin-arm64"],
  ])("on %s %s it takes the executable of that machine", async (system, processor, name) => {
    const machine = { uname: `[ "$1" = -s ] && echo ${system} || echo ${processor}` };
    const PATH = `${programs([], machine)}:${process.env.PATH}`;
    const { code, out } = await install({ PATH, ...target() });
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(`(${name})`) });
  });

  test.each([
    ["Linux", "riscv64"],
    ["Darwin", "x86_64"],
  ])("on %s %s it ends, and downloads nothing", async (system, processor) => {
    const machine = { uname: `[ "$1" = -s ] && echo ${system} || echo ${processor}` };
    const PATH = `${programs([], machine)}:${process.env.PATH}`;
    const to = target();
    const { code, err } = await install({ PATH, ...to });
    const message = `install: there is no executable for ${system} on ${processor}\n`;
    expect({ code, err }).toEqual({ code: 1, err: message });
    expect(existsSync(to.FEEDGATE_INSTALL_DIR)).toBe(false);
  });

  test.each([
    [
      "a file that is not the one of the release",
      "feedgate-linux-x64",
      "#!/bin/sh\n",
      "nothing was installed",
    ],
    ["a file that is missing", "feedgate-linux-x64", 404, "can't download"],
    [
      "checksums without this file",
      CHECKSUMS,
      `${"0".repeat(64)}  feedgate-linux-x64.old\n`,
      "contains no checksum",
    ],
    ["digests that are missing", CHECKSUMS, 500, "can't download"],
  ])("%s is not installed", async (_, name, content, message) => {
    const machine = { uname: '[ "$1" = -s ] && echo Linux || echo x86_64' };
    const PATH = `${programs([], machine)}:${process.env.PATH}`;
    const { FEEDGATE_INSTALL_DIR: bin } = target();
    mkdirSync(bin);
    writeFileSync(join(bin, "feedgate"), "an older one");
    altered.set(name, content);
    const { code, err } = await install({ PATH, FEEDGATE_INSTALL_DIR: bin });
    altered.delete(name);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(readdirSync(bin)).toEqual(["feedgate"]);
    expect(await Bun.file(join(bin, "feedgate")).text()).toBe("an older one");
  });

  test("a folder that can't be made or written is named, and what helps", async () => {
    const { code, err } = await install({ FEEDGATE_INSTALL_DIR: "/dev/null/bin" });
    const message = "install: can't create /dev/null/bin; set FEEDGATE_INSTALL_DIR\n";
    expect({ code, err }).toEqual({ code: 1, err: message });
    if (Bun.which("setpriv") === null) return;
    const bin = temporaryFolder();
    chmodSync(bin, 0o555);
    const refused = await install({ FEEDGATE_INSTALL_DIR: bin }, { asNobody: true });
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining(`can't write to ${bin}`),
    });
    expect(readdirSync(bin)).toEqual([]);
  });

  test.skipIf(!IS_ROOT || Bun.which("setpriv") === null)(
    "whoever can't write to /usr/local/bin gets it in the home folder",
    async () => {
      const HOME = temporaryFolder();
      chmodSync(HOME, 0o777);
      const { code, out } = await install({ HOME }, { asNobody: true });
      expect({ code, out }).toMatchObject({
        code: 0,
        out: expect.stringContaining(`as ${HOME}/.local/bin/feedgate`),
      });
    },
  );

  test("without a program that downloads, it names two", async () => {
    const { code, err } = await install({ PATH: programs(TOOLS), ...target() });
    expect(code).toBe(1);
    expect(err).toContain("curl or wget is required");
  });
});

/**
 * `bun run test:image`: builds `src/deploy/Dockerfile` by buildah, and runs the image by runc as carefully as a cluster
 * would: not root, no capability, a read-only file system. From nothing to a read; its health check; SIGTERM; the same
 * data in a new container, after SIGKILL, and with a program of a higher version.
 *
 * For root, on Debian, with `debootstrap`, `buildah` and `runc`. Takes some minutes. No registry is asked: the base
 * images are a Debian of `debootstrap`, the one of Bun with the Bun that runs this. So what those images hold besides,
 * and their size, is not shown, nor other processors.
 *
 * @module
 */
import { type SpawnSyncOptions, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { freePort } from "../support/free_port.ts";
import { waitFor } from "../support/processes.ts";
import { buildNext, NEXT_VERSION } from "./build_next.ts";
import { firstRead, type Installed, readAgain, untilServed } from "./first_read.ts";
import { runProgram } from "./run_program.ts";

const ROOT = resolve(import.meta.dir, "../..");
const DOCKERFILE = "src/deploy/Dockerfile";
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
const READY_MS_MAX = 60_000;
/** What `docker stop` waits by default. */
const STOP_MS_MAX = 10_000;
/** What the image adds to its base. */
const ADDED_BYTES_MAX = 165_000_000;
const PARTS = ["debootstrap", "buildah", "runc"];

const folder = mkdtempSync("/var/tmp/feedgate-image-");
const STORE = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];

function missingPart(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "this is not root on Linux";
  const missing = PARTS.find((name) => Bun.which(name) === null);
  return missing === undefined ? undefined : `${missing} is not installed`;
}

/** Runs buildah; gives what it prints, without the newline at its end. */
function buildah(argv: readonly string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout } = spawnSync("buildah", [...STORE, ...argv], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
  if (status !== 0) throw new Error(`buildah ${argv.join(" ")} ended with ${status}`);
  return String(stdout).trim();
}

/** The base images of the Dockerfile, under their names. */
function makeBases(): void {
  const names = readFileSync(join(ROOT, DOCKERFILE), "utf8").matchAll(/^FROM (?:--\S+ )?(\S+)/gm);
  const [bun, debian, ...others] = [...names].map(([, name]) => name);
  if (bun !== `oven/bun:${Bun.version}` || debian !== "debian:12-slim" || others.length > 0) {
    throw new Error(`the base images are ${[bun, debian, ...others]}`);
  }
  const root = join(folder, "debian");
  runProgram("debootstrap", ["--variant=minbase", "bookworm", root], { stdio: "ignore" });
  // A machine may reach registries through a proxy of its own, whose authority it knows.
  if (existsSync(AUTHORITIES)) {
    mkdirSync(join(root, dirname(AUTHORITIES)), { recursive: true });
    copyFileSync(AUTHORITIES, join(root, AUTHORITIES));
  }
  const scratch = buildah(["from", "scratch"]);
  buildah(["add", "--quiet", scratch, root, "/"]);
  const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  buildah(["config", "--env", path, "--cmd", "bash", scratch]);
  buildah(["commit", "--quiet", "--rm", scratch, `docker.io/library/${debian}`]);
  const withBun = buildah(["from", `docker.io/library/${debian}`]);
  buildah(["copy", "--quiet", withBun, process.execPath, "/usr/local/bin/bun"]);
  buildah(["config", "--env", `NODE_EXTRA_CA_CERTS=${AUTHORITIES}`, withBun]);
  buildah(["commit", "--quiet", "--rm", withBun, `docker.io/${bun}`]);
  rmSync(root, { recursive: true });
}

/** Builds the newest commit, as a clone of it has it. */
function buildImage(): void {
  const clone = join(folder, "clone");
  runProgram("git", ["clone", "--quiet", ROOT, clone]);
  // The format of Docker, as that of OCI has no health check.
  const options = ["--pull-never", "--isolation", "chroot", "--format", "docker", "--layers"];
  buildah(["build", ...options, "--file", DOCKERFILE, "--tag", "feedgate", "."], {
    cwd: clone,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

function readImageConfig(): ImageConfig {
  return JSON.parse(buildah(["inspect", "--type", "image", "feedgate"])).Docker.config;
}

/** Bytes of all files that a container of an image begins with. */
function bytesOf(image: string): number {
  const container = buildah(["from", "--pull-never", image]);
  const { stdout } = spawnSync("du", ["-sb", buildah(["mount", container])], { encoding: "utf8" });
  buildah(["rm", container]);
  return Number.parseInt(stdout, 10);
}

/** A container of the image, by runc. Volumes are folders that the image's account owns. */
class Container implements Installed {
  readonly baseUrl: string;
  readonly dataDir = "/var/lib/feedgate";
  readonly #bundle: string;
  readonly #config: ImageConfig;
  readonly #id: string;
  #ended: Promise<number | null> = Promise.resolve(null);

  /** @param program in place of the image's, as in the image of another version */
  constructor(name: string, config: ImageConfig, program?: string) {
    this.#id = `feedgate-${process.pid}-${name}`;
    this.#config = config;
    this.#bundle = join(folder, name);
    const port = freePort();
    this.baseUrl = `http://127.0.0.1:${port}`;
    mkdirSync(this.#bundle);
    runProgram("runc", ["spec", "--bundle", this.#bundle]);
    const path = join(this.#bundle, "config.json");
    const root = buildah(["mount", buildah(["from", "--pull-never", "feedgate"])]);
    if (program !== undefined) copyFileSync(program, join(root, "usr/local/bin/feedgate"));
    const spec = this.#spec(JSON.parse(readFileSync(path, "utf8")), { root, port });
    writeFileSync(path, JSON.stringify(spec));
  }

  #spec(spec: Spec, { root, port }: { readonly root: string; readonly port: number }): Spec {
    const { User, Env, Entrypoint, Cmd, Volumes } = this.#config;
    const volumes = Object.keys(Volumes).map((destination) => {
      const source = join(folder, "volumes", destination);
      mkdirSync(source, { recursive: true, mode: 0o700 });
      chownSync(source, Number(User), Number(User));
      return { destination, source, type: "bind", options: ["bind", "rw", "nosuid", "nodev"] };
    });
    const options = ["nosuid", "nodev", "noexec", "mode=1777"];
    const { rlimits: _, ...own } = spec.process;
    return {
      ...spec,
      root: { path: root, readonly: true },
      process: {
        ...own,
        terminal: false,
        user: { uid: Number(User), gid: Number(User) },
        args: [...Entrypoint, ...Cmd],
        env: [...Env, `PORT=${port}`],
        capabilities: {},
        noNewPrivileges: true,
      },
      mounts: [
        ...spec.mounts.filter(({ type }) => type !== "cgroup"),
        { destination: "/tmp", source: "tmpfs", type: "tmpfs", options },
        ...volumes,
      ],
      linux: {
        ...spec.linux,
        // The network is that of this machine.
        namespaces: spec.linux.namespaces.filter(({ type }) => type !== "network"),
      },
    };
  }

  start(): void {
    const argv = ["run", "--bundle", this.#bundle, this.#id];
    const running = spawn("runc", argv, { stdio: ["ignore", "inherit", "inherit"] });
    this.#ended = new Promise((settle) => running.on("exit", settle));
  }

  type = (lines: string): string => {
    const argv = ["exec", this.#id, "bash", "-ec", lines];
    const { status, stdout, stderr } = spawnSync("runc", argv, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${lines}\nended with ${status}: ${stdout}${stderr}`);
    return stdout;
  };

  isHealthy(): boolean {
    const [kind, ...test] = this.#config.Healthcheck.Test;
    if (kind !== "CMD") throw new Error(`the health check is ${kind}`);
    return spawnSync("runc", ["exec", this.#id, ...test], { stdio: "ignore" }).status === 0;
  }

  async untilHealthy(): Promise<void> {
    await untilServed(this, "true");
    if (!(await waitFor(async () => this.isHealthy(), READY_MS_MAX))) {
      throw new Error("it serves, and its health check fails");
    }
  }

  /** Sends a signal to its first process. Returns its exit code, once it has ended. */
  async end(signal: "TERM" | "KILL"): Promise<number | null> {
    runProgram("runc", ["kill", this.#id, signal]);
    return this.#ended;
  }
}

/** What of runc's specification is read. */
interface Spec {
  readonly process: Readonly<Record<string, unknown>>;
  readonly mounts: readonly { readonly type: string }[];
  readonly linux: { readonly namespaces: readonly { readonly type: string }[] };
  readonly root: unknown;
}

async function tryImage(config: ImageConfig): Promise<void> {
  if (!/^[1-9]\d*$/.test(config.User)) throw new Error(`it runs as ${config.User}`);
  const first = new Container("first", config);
  first.start();
  await first.untilHealthy();
  console.log("# healthy, on a read-only file system, without capabilities");
  const key = await firstRead(first);
  const written = first.type("touch /usr/local/bin/x 2>&1 || true");
  if (!written.includes("Read-only")) throw new Error("its file system is not read-only");
  const startMs = performance.now();
  const code = await first.end("TERM");
  const stopMs = Math.round(performance.now() - startMs);
  if (code !== 0 || stopMs > STOP_MS_MAX) throw new Error(`ended with ${code} after ${stopMs} ms`);
  console.log(`# ended by SIGTERM with 0 after ${stopMs} ms`);

  const second = new Container("second", config);
  second.start();
  await second.untilHealthy();
  await readAgain(second, key);
  await second.end("KILL");
  const third = new Container("third", config);
  third.start();
  await third.untilHealthy();
  await readAgain(third, key);
  if ((await third.end("TERM")) !== 0) throw new Error("it did not end with 0");
  console.log("# a new container has the data, also after SIGKILL");

  const next = new Container("upgraded", config, buildNext(folder));
  next.start();
  await next.untilHealthy();
  const version = next.type("feedgate --version");
  if (!version.startsWith(`feedgate ${NEXT_VERSION}`)) throw new Error(`it is ${version}`);
  await readAgain(next, key);
  if ((await next.end("TERM")) !== 0) throw new Error("it did not end with 0");
  console.log("# upgraded");
}

const missing = missingPart();
if (missing !== undefined) {
  console.log(`skipped: ${missing}`);
  rmSync(folder, { recursive: true });
} else {
  try {
    makeBases();
    buildImage();
    const added = bytesOf("feedgate") - bytesOf("debian:12-slim");
    console.log(`# ${(added / 1_000_000).toFixed(1)} MB above Debian's image`);
    if (added > ADDED_BYTES_MAX) throw new Error("that is too much");
    await tryImage(readImageConfig());
  } finally {
    // Its mounts end with its containers.
    spawnSync("buildah", [...STORE, "rm", "--all"], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  }
}

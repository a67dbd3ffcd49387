/**
 * `bun run test:image`: does what `src/deploy/Dockerfile` says without a container engine, each stage in a Debian root of
 * `debootstrap`, and runs the image's command there. For root, on Debian, with `debootstrap`. Takes some minutes.
 *
 * A stage's base is that Debian; the one of Bun has also the Bun that runs this. So what an engine would do otherwise,
 * and what those images hold besides, is not shown.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { present } from "../../src/lib/assert.ts";
import { runProgram } from "./run_program.ts";

const ROOT = resolve(import.meta.dir, "../..");
const DOCKERFILE = join(ROOT, "src/deploy/Dockerfile");
const BASE_IMAGES = /^(oven\/bun:|debian:12-slim$)/;
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
const READY_MS_MAX = 60_000;

/** A stage: a root folder, and what later steps of it begin with. */
interface Stage {
  readonly root: string;
  workdir: string;
  user: string;
  readonly environment: Record<string, string>;
  entrypoint: readonly string[];
  command: readonly string[];
  health: readonly string[];
}

const folder = mkdtempSync("/var/tmp/feedgate-image-");
const mounts: string[] = [];

/** A copy of Debian, with what a container has of the kernel. */
function makeRoot(name: string): string {
  const debian = join(folder, "debian");
  if (!existsSync(debian)) runProgram("debootstrap", ["--variant=minbase", "bookworm", debian]);
  const root = join(folder, name);
  runProgram("cp", ["-a", "--reflink=auto", debian, root]);
  copyFileSync("/etc/resolv.conf", join(root, "etc/resolv.conf"));
  // A machine may reach registries through a proxy of its own, whose authority it knows.
  if (existsSync(AUTHORITIES)) {
    mkdirSync(join(root, dirname(AUTHORITIES)), { recursive: true });
    copyFileSync(AUTHORITIES, join(root, AUTHORITIES));
  }
  for (const path of ["proc", "dev"]) {
    runProgram("mount", ["--rbind", `/${path}`, join(root, path)]);
    runProgram("mount", ["--make-rslave", join(root, path)]);
    mounts.push(join(root, path));
  }
  return root;
}

/** The command line that runs something in the stage. */
function inside(stage: Stage, argv: readonly string[]): readonly string[] {
  const variables = Object.entries(stage.environment).map(([name, value]) => `${name}=${value}`);
  const ids = stage.user === "" ? [] : [`--reuid=${stage.user}`, `--regid=${stage.user}`];
  return [
    "chroot",
    stage.root,
    ...["setpriv", ...ids, ...(ids.length > 0 ? ["--clear-groups"] : []), "--"],
    ...["env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    ...variables,
    ...["sh", "-c", `cd ${stage.workdir} && exec "$@"`, "sh", ...argv],
  ];
}

/** The instructions, without comments and with their lines joined. */
function instructionsOf(text: string): readonly (readonly [name: string, rest: string])[] {
  return text
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", ...rest] = line.split(" ");
      return [name, rest.join(" ")];
    });
}

/** Files of the repository as a clone of its newest commit has them, or a file of an earlier stage. */
function copyInto(stage: Stage, rest: string, stages: ReadonlyMap<string, Stage>): void {
  const [, name, from = "", to = ""] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(rest) ?? [];
  if (name !== undefined) {
    const source = present(stages.get(name));
    cpSync(join(source.root, from), join(stage.root, to));
    return;
  }
  if (rest !== ". .") throw new Error(`COPY ${rest} is not known here`);
  runProgram("git", ["clone", "--quiet", ROOT, join(stage.root, stage.workdir)]);
}

function build(): Stage {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [name, rest] of instructionsOf(readFileSync(DOCKERFILE, "utf8"))) {
    console.log(`# ${name} ${rest}`);
    if (name === "FROM") {
      const [image = "", , as = "last"] = rest.split(" ");
      if (!BASE_IMAGES.test(image)) throw new Error(`${image} is not known here`);
      const root = makeRoot(as);
      stage = {
        root,
        workdir: "/",
        user: "",
        environment: {},
        entrypoint: [],
        command: [],
        health: [],
      };
      stages.set(as, stage);
      if (image.startsWith("oven/bun:")) {
        if (image !== `oven/bun:${Bun.version}`) throw new Error(`this is Bun ${Bun.version}`);
        cpSync(process.execPath, join(root, "usr/local/bin/bun"));
      }
      continue;
    }
    step(present(stage), { name, rest, stages });
  }
  return present(stage);
}

function step(
  stage: Stage,
  { name, rest, stages }: { name: string; rest: string; stages: ReadonlyMap<string, Stage> },
): void {
  switch (name) {
    case "RUN": {
      const trusting = ["env", `NODE_EXTRA_CA_CERTS=${AUTHORITIES}`, "sh", "-c", rest];
      const [program = "", ...argv] = inside(stage, trusting);
      runProgram(program, argv);
      return;
    }
    case "COPY":
      copyInto(stage, rest, stages);
      return;
    case "WORKDIR":
      stage.workdir = rest;
      mkdirSync(join(stage.root, rest), { recursive: true });
      return;
    case "USER":
      stage.user = rest;
      return;
    case "ENV":
      for (const pair of rest.split(" ")) {
        const [variable = "", value = ""] = pair.split("=");
        stage.environment[variable] = value;
      }
      return;
    case "ENTRYPOINT":
      stage.entrypoint = JSON.parse(rest);
      return;
    case "CMD":
      stage.command = JSON.parse(rest);
      return;
    case "HEALTHCHECK":
      stage.health = JSON.parse(rest.slice(rest.indexOf("[")));
      return;
    case "VOLUME":
    case "EXPOSE":
      return;
    default:
      throw new Error(`${name} is not known here`);
  }
}

/** Starts the image's command, waits until its health check passes, runs a command beside it, and ends it. */
async function tryImage(stage: Stage): Promise<void> {
  const [program = "", ...argv] = inside(stage, [...stage.entrypoint, ...stage.command]);
  const serving = spawn(program, argv, { stdio: "inherit" });
  const ended = new Promise<number | null>((settle) => serving.on("exit", settle));
  const untilMs = performance.now() + READY_MS_MAX;
  const isHealthy = () => {
    const [tried = "", ...rest] = inside(stage, stage.health);
    return spawnSync(tried, rest, { stdio: "ignore" }).status === 0;
  };
  while (!isHealthy()) {
    if (serving.exitCode !== null || performance.now() > untilMs)
      throw new Error("it is not healthy");
    await Bun.sleep(200);
  }
  console.log("# healthy");
  for (const words of [["--version"], ["account", "create", "--name", "Image"]]) {
    const [command = "", ...rest] = inside(stage, [...stage.entrypoint, ...words]);
    runProgram(command, rest);
  }
  serving.kill("SIGTERM");
  const code = await ended;
  if (code !== 0) throw new Error(`it ended with ${code}`);
  if (isHealthy()) throw new Error("the health check passes without a gateway");
  console.log(`# ended with 0; ${statSync(join(stage.root, "usr/local/bin/feedgate")).size} bytes`);
}

try {
  await tryImage(build());
} finally {
  for (const mount of mounts.reverse()) runProgram("umount", ["-R", "-l", mount]);
  rmSync(folder, { recursive: true, force: true });
}

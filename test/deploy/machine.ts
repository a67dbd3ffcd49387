/**
 * `bun run test:machine`: a new Debian, without Bun, Node or PostgreSQL, with its own systemd and nothing else. The
 * executable is installed there as the guide says, serves, makes a feed, is read, killed, backed up, replaced and
 * restored: the shell lines of `src/docs/guides/deploy.md`, as printed. Every usage id that was seen must be there. At
 * last it gets a certificate, and another one by `systemctl reload`.
 *
 * For root, on Debian, with `debootstrap` and `openssl`. Takes some minutes.
 *
 * @module
 */
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
import { makeCertificate, servedSerial } from "../support/certificates.ts";
import { freePort } from "../support/free_port.ts";
import { waitFor } from "../support/processes.ts";
import { type BootedMachine, bootMachine } from "./boot_machine.ts";
import { runProgram } from "./run_program.ts";

const PROJECT = resolve(import.meta.dir, "../..");
const GUIDE = join(PROJECT, "src/docs/guides/deploy.md");
const READY_MS_MAX = 120_000;
const READERS = 8;
/** As many as a free feed allows in a window. */
const READS_EACH = 10;
/** Between two of a reader, so that the kill comes amid them. */
const READ_EVERY_MS = 100;
const DATA_DIR = "/var/lib/feedgate";
const USAGE_ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}\b/g;
const KEY = /fg_(?:read|write)_[0-9A-Za-z]{38}/;

const folder = mkdtempSync("/var/tmp/feedgate-machine-");
// Reachable for the accounts in it.
chmodSync(folder, 0o755);
const root = join(folder, "root");

/** The shell blocks of the guide's section on systemd, in order: install, back up and upgrade, restore. */
function blocksOfGuide(): readonly string[] {
  const [, section = ""] = readFileSync(GUIDE, "utf8").split("\n## systemd\n");
  const [text = ""] = section.split("\n## ");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

/** Puts a new certificate into the machine, where the service reads it. Returns its serial number. */
function putCertificate(): string {
  const tls = join(root, "etc/feedgate");
  mkdirSync(tls, { recursive: true });
  const [cert, key] = [join(tls, "tls.crt"), join(tls, "tls.key")];
  const serial = makeCertificate({ cert, key });
  chmodSync(key, 0o644);
  return serial;
}

/** `systemctl reload` takes a new certificate, and the process stays the same. */
async function reload({ type }: BootedMachine, baseUrl: string): Promise<void> {
  const first = putCertificate();
  type(`cat >> /etc/feedgate.env <<END
TLS_CERT_FILE=/etc/feedgate/tls.crt
TLS_KEY_FILE=/etc/feedgate/tls.key
END
systemctl restart feedgate`);
  const pid = () => type("systemctl show --property=MainPID --value feedgate").trim();
  const before = pid();
  if ((await servedSerial(baseUrl)) !== first) throw new Error("it serves another certificate");
  const second = putCertificate();
  type("systemctl reload feedgate");
  const isReplaced = await waitFor(
    async () => (await servedSerial(baseUrl)) === second,
    READY_MS_MAX,
  );
  if (!isReplaced) throw new Error(`not reloaded: ${type("journalctl -u feedgate --no-pager")}`);
  if (pid() !== before) throw new Error("it is another process after the reload");
  type("systemctl is-active feedgate");
  console.log("# reloaded: a new certificate, in the same process");
}

async function walk(machine: BootedMachine): Promise<void> {
  const { type } = machine;
  const [install = "", upgrade = "", restore = ""] = blocksOfGuide();
  const port = freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const isServed = async () => {
    const isReady = await waitFor(
      () =>
        fetch(`${baseUrl}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      READY_MS_MAX,
    );
    if (!isReady) throw new Error(`it is not ready: ${type("journalctl -u feedgate --no-pager")}`);
  };
  const feedgate = (words: string) => type(`feedgate ${words} --data-dir ${DATA_DIR}`);
  const keyOf = (text: string) => KEY.exec(text)?.[0] ?? "";

  type(`echo PORT=${port} > /etc/feedgate.env`);
  type(install);
  await isServed();
  console.log("# installed, and serves");
  feedgate("account create --name Provider");
  const writeKey = keyOf(feedgate("key create --account Provider --permission write"));
  const push = `FEEDGATE_URL=${baseUrl} FEEDGATE_KEY=${writeKey} feedgate`;
  type("printf 'id,city,degrees\\n1,Bern,4.5\\n2,Graz,7\\n' > temperatures.csv");
  type(`${push} feed init temperatures.csv`);
  type(`${push} push temperatures temperatures.csv`);
  feedgate("feed publish temperatures");

  const seen = new Set<string>();
  const read = async (key: string): Promise<void> => {
    const response = await fetch(`${baseUrl}/v1/feed/temperatures`, {
      headers: { "x-api-key": key },
    });
    const body = (await response.json()) as { _origin?: { usage_id: string } };
    if (response.status === 200) seen.add(body._origin?.usage_id ?? "");
  };
  const readers: string[] = [];
  const makeReaders = (): readonly string[] =>
    Array.from({ length: READERS }, () => {
      const name = `Reader-${readers.length}`;
      readers.push(name);
      feedgate(`account create --name ${name}`);
      return keyOf(feedgate(`key create --account ${name} --permission read`));
    });
  const readMuch = (keys: readonly string[]) =>
    Promise.all(
      keys.map(async (key) => {
        for (let reads = 0; reads < READS_EACH; reads++) {
          await read(key);
          await Bun.sleep(READ_EVERY_MS);
        }
      }),
    );
  const logged = (): ReadonlySet<string> =>
    new Set(
      readers.flatMap((name) =>
        [...feedgate(`usage export --account ${name}`).matchAll(USAGE_ID)].map(([id]) => id),
      ),
    );
  const requireSeen = (when: string) => {
    const missing = seen.difference(logged());
    if (missing.size > 0) throw new Error(`${missing.size} usage ids are missing ${when}`);
    console.log(`# ${seen.size} usage ids were seen, none is missing ${when}`);
  };
  await readMuch(makeReaders());
  requireSeen("under load");

  const before = seen.size;
  const reading = readMuch(makeReaders()).catch(() => {});
  await waitFor(async () => seen.size > before + 2 * READERS, READY_MS_MAX);
  type("systemctl kill --signal=KILL feedgate");
  await reading;
  await isServed();
  requireSeen("after kill -9");

  type(upgrade);
  await isServed();
  requireSeen("after the upgrade");

  type(restore);
  await isServed();
  requireSeen("after the restore");
  console.log(feedgate("doctor"));
  await reload(machine, baseUrl);
  type("systemctl stop feedgate");
}

try {
  runProgram("debootstrap", ["--variant=minbase", "--include=systemd", "bookworm", root]);
  mkdirSync(join(root, "root/dist"));
  mkdirSync(join(root, "root/src"));
  cpSync(join(PROJECT, "dist/feedgate"), join(root, "root/dist/feedgate"));
  cpSync(join(PROJECT, "src/deploy"), join(root, "root/src/deploy"), { recursive: true });
  writeFileSync(join(root, "etc/hostname"), "machine\n");
  const machine = await bootMachine(root);
  try {
    await walk(machine);
  } finally {
    machine.halt();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

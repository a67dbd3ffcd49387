/**
 * A Debian root as a machine: with its own systemd, and the network of this one. For root, on Linux.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { waitFor } from "../support/processes.ts";

const READY_MS_MAX = 120_000;

/** Mounts what a machine has, in a namespace of its own, and becomes its systemd. */
const bootScript = (root: string): string => `
set -e
mount --make-rprivate /
mount --bind ${root} ${root}
mount -t proc proc ${root}/proc
mount --rbind /sys ${root}/sys
mount -t tmpfs tmpfs ${root}/dev
for device in null zero full random urandom tty; do
  touch ${root}/dev/$device
  mount --bind /dev/$device ${root}/dev/$device
done
mkdir ${root}/dev/shm ${root}/dev/pts
mount -t tmpfs tmpfs ${root}/dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts ${root}/dev/pts
ln -s pts/ptmx ${root}/dev/ptmx
ln -s /proc/self/fd ${root}/dev/fd
mount -t tmpfs tmpfs ${root}/run
mount -t tmpfs tmpfs ${root}/tmp
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot ${root} /lib/systemd/systemd
`;

export interface BootedMachine {
  /** Runs lines of a shell, as root types them; gives what they print. @throws if they fail */
  readonly type: (lines: string) => string;
  /** Ends it, with all that runs there. */
  readonly halt: () => void;
}

/** The machine whose root is this folder, when its systemd is up. */
export async function bootMachine(root: string): Promise<BootedMachine> {
  const machine = spawn(
    "unshare",
    ["--mount", "--pid", "--fork", "--uts", "--ipc", "sh", "-c", bootScript(root)],
    {
      stdio: "ignore",
    },
  );
  const systemd = await findChild(machine.pid);
  const type = (lines: string): string => {
    const inside = ["nsenter", "-t", String(systemd), "-m", "-p", "-u", "-i", "chroot", root];
    const shell = ["env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "bash", "-ec"];
    const [program = "", ...argv] = [...inside, ...shell, `cd /root\n${lines}`];
    const { status, stdout, stderr } = spawnSync(program, argv, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${lines}\nended with ${status}: ${stdout}${stderr}`);
    return stdout;
  };
  const isUp = await waitFor(async () => {
    const { stdout } = spawnSync("nsenter", [
      ...["-t", String(systemd), "-m", "-p", "chroot", root, "systemctl", "is-system-running"],
    ]);
    return stdout.toString().trim() === "running";
  }, READY_MS_MAX);
  if (!isUp) throw new Error("its systemd did not come up");
  return {
    type,
    halt() {
      process.kill(systemd, "SIGKILL");
    },
  };
}

/** The first process in the namespace, as this machine numbers it. */
async function findChild(pid: number | undefined): Promise<number> {
  let child = Number.NaN;
  await waitFor(async () => {
    const text = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" }).stdout;
    child = Number(text.trim().split("\n")[0] || Number.NaN);
    return Number.isInteger(child);
  }, READY_MS_MAX);
  if (!Number.isInteger(child)) throw new Error("it did not start: this is for root, on Linux");
  return child;
}

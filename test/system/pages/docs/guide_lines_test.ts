/** Lines of the guides for a shell, run with programs that fail. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";

const guide = (name: string) =>
  Bun.file(new URL(`../../../../src/docs/guides/${name}.md`, import.meta.url)).text();
const JQ = Bun.which("jq");
if (JQ === null) console.log("skipped: jq is not installed");

/** The block of `deploy.md` that has a line. */
async function blockWith(line: string): Promise<string> {
  const blocks = [...(await guide("deploy")).matchAll(/^```(?:sh)?\n(.*?)^```$/gms)];
  const found = blocks.filter(([, block = ""]) => block.includes(line));
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? "";
}

test.each([
  ["pg_ctl stop -D", ["pg_ctl", "mv", "cp"], "mv"],
  ["pg_basebackup --checkpoint", ["mkdir", "psql", "pg_ctl", "pg_basebackup"], "psql"],
  ["systemctl stop feedgate &&", ["systemctl", "mv", "install", "feedgate"], "mv"],
  ["feedgate backup all.backup", ["feedgate", "createdb"], "createdb"],
])("after a step of %p that failed, nothing else runs", async (line, programs, failing) => {
  const block = await blockWith(line);
  const stubs = programs.map((name) => `${name}() { echo ${name}; [ ${name} != ${failing} ]; }`);
  // As pasted into a shell.
  const { stdout } = spawnSync("bash", ["-c", `${stubs.join("\n")}\n${block}`], {
    encoding: "utf8",
  });
  const ran = stdout.trim().split("\n");
  expect(ran.indexOf(failing)).toBe(ran.length - 1);
});

test.skipIf(JQ === null)(
  "the line that finds a request in the log passes over what is no line of it",
  async () => {
    const [, filter = ""] = /jq -R '([^']+)'/.exec(await guide("operators")) ?? [];
    const log = [
      '{"request_id":"a","code":"KEY_INVALID"}',
      "Feedgate is running at …",
      "1",
      '{"n":1}',
    ];
    const found = spawnSync("jq", ["-c", "-R", filter.replace("…", "a")], {
      input: log.join("\n"),
      encoding: "utf8",
    });
    expect(found).toMatchObject({ status: 0, stderr: "", stdout: `${log[0]}\n` });
  },
);

/** The workflows of the repository, as far as they can be checked without running them. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { engines, scripts } from "../../package.json";

const ROOT = resolve(import.meta.dir, "../..");
const FOLDER = join(ROOT, ".github/workflows");

interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly env: { readonly BUN: string };
  readonly jobs: Readonly<Record<string, Job>>;
}

describe.each(["ci.yml", "release.yml"])("%s", (name) => {
  const text = readFileSync(join(FOLDER, name), "utf8");
  const workflow = Bun.YAML.parse(text) as Workflow;
  const jobs = Object.entries(workflow.jobs);
  const commands = jobs.flatMap(([, { steps }]) => steps.flatMap(({ run = [] }) => run));

  test("names each action by its digest, with the version beside it, always the same one", () => {
    const uses = [...text.matchAll(/uses: (.+)$/gm)].map(([, used = ""]) => used);
    expect(uses.length).toBeGreaterThan(5);
    for (const used of uses) expect(used).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const actions = new Set(uses.map((used) => used.split("@")[0]));
    expect(new Set(uses).size).toBe(actions.size);
  });

  test("gives each job the permissions that it needs, and a time limit", () => {
    expect(workflow.concurrency).toBeDefined();
    expect(Object.values(workflow.permissions ?? { all: "write" })).not.toContain("write");
    for (const [job, { permissions, "timeout-minutes": minutes }] of jobs) {
      expect([job, minutes]).toEqual([job, expect.any(Number)]);
      if (name === "release.yml") expect([job, permissions]).toEqual([job, expect.any(Object)]);
    }
  });

  test("runs the Bun that is pinned, and scripts that are there", () => {
    expect(workflow.env.BUN).toBe(`npx -y bun@${engines.bun.replace("~", "")}`);
    let found = 0;
    for (const command of commands) {
      for (const [, script = ""] of command.matchAll(/\$BUN run ([a-z:]+)/g)) {
        expect(Object.keys(scripts)).toContain(script);
        found += 1;
      }
      for (const [path] of command.matchAll(/\b(?:src|test)\/[\w/]+\.ts\b|\.ci\/\w+/g)) {
        expect({ path, isThere: existsSync(join(ROOT, path)) }).toEqual({ path, isThere: true });
      }
    }
    expect(found).toBeGreaterThan(1);
  });

  test("pastes nothing into a shell that somebody else may write", () => {
    for (const command of commands) {
      for (const [, value = ""] of command.matchAll(/\$\{\{ *(.*?) *\}\}/g)) {
        expect(value).toMatch(/^matrix\./);
      }
    }
  });
});

test("a release is published once every other job of it has succeeded", () => {
  const { jobs } = Bun.YAML.parse(readFileSync(join(FOLDER, "release.yml"), "utf8")) as Workflow;
  const needed = new Set<string>();
  const need = (job: string) => {
    if (needed.has(job)) return;
    needed.add(job);
    for (const each of [jobs[job]?.needs ?? []].flat()) need(each);
  };
  need("publish");
  expect([...needed].toSorted()).toEqual(Object.keys(jobs).toSorted());
});

test("no job of the releases takes from a cache", () => {
  const text = readFileSync(join(FOLDER, "release.yml"), "utf8");
  expect(text).not.toContain("actions/cache@");
});

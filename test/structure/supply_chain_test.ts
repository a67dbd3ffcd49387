import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import packageInfo from "../../package.json" with { type: "json" };
import { withChartVersion } from "../../src/build/package_chart.ts";
import { changelogSection } from "../../src/build/release_notes.ts";
import { billOfMaterials } from "../../src/build/sbom.ts";
import notices from "../../src/cli/generated/notices.json" with { type: "json" };
import { findObstacle, nextVersion, withSection } from "../release/release.ts";
import { RELEASES, releaseFiles } from "../release/scene.ts";

const ROOT = resolve(import.meta.dir, "../..");
const LOCK = readFileSync(join(ROOT, "bun.lock"), "utf8");

test("no install script runs but that of the pinned Bun, which puts its program in place", () => {
  // Without this list Bun trusts hundreds of packages, one of ours among them, which reports each install.
  expect(packageInfo.trustedDependencies).toEqual(["bun"]);
});

test("each package of the lockfile is held to a digest, and none comes from elsewhere", () => {
  const packages = [...LOCK.matchAll(/^ {4}"[^"]+": \["([^"]+)", "([^"]*)", .*\],$/gm)];
  expect(packages.length).toBeGreaterThan(300);
  for (const [line, version, registry] of packages) {
    expect([version, registry, /"sha512-[A-Za-z0-9+/]{86}=="\],$/.test(line)]).toEqual([
      version ?? "",
      "",
      true,
    ]);
  }
});

test("the bill of materials is CycloneDX, and has all that the executable holds", async () => {
  const bill = billOfMaterials();
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  expect(await validator.validate(JSON.stringify(bill))).toBeNull();
  const there = new Set(bill.components.map(({ name, version }) => `${name} ${version ?? ""}`));
  const held = notices.map(({ name, version }) => `${name} ${version}`);
  expect(held.filter((each) => !there.has(each))).toEqual([
    `feedgate ${packageInfo.version}`,
    "Data of the demo ",
  ]);
  // What only development needs is not in it.
  expect([...there].filter((each) => /^(typescript|@biomejs|fast-check|ajv) ?/.test(each))).toEqual(
    [],
  );
});

test("each package of the bill has its version, digest and licence, and its dependencies are there", () => {
  const { components, dependencies, metadata } = billOfMaterials();
  const refs = new Set(components.map((component) => component["bom-ref"]));
  expect(refs.size).toBe(components.length);
  for (const { ref, dependsOn } of dependencies) {
    if (ref !== metadata.component["bom-ref"]) expect(refs).toContain(ref);
    for (const each of dependsOn) expect(refs).toContain(each);
  }
  const packages = components.filter(({ purl }) => purl !== undefined);
  expect(packages.length).toBeGreaterThan(30);
  for (const { name, version, hashes, licenses, scope } of packages) {
    expect(LOCK).toContain(`["${name}@${version}"`);
    const digest = Buffer.from(hashes?.[0]?.content ?? "", "hex").toString("base64");
    expect(LOCK).toContain(`"sha512-${digest}"]`);
    if (scope === "required") expect([name, licenses?.length]).toEqual([name, 1]);
  }
});

test("the changelog has the version, newest first, and the security policy's links lead somewhere", () => {
  const versions = [
    ...readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").matchAll(/^## (\S+)$/gm),
  ].map(([, version = ""]) => version);
  expect(versions).toContain(packageInfo.version);
  expect(versions.toSorted((one, other) => Bun.semver.order(other, one))).toEqual(versions);
  const policy = readFileSync(join(ROOT, ".github/SECURITY.md"), "utf8");
  for (const [, path = ""] of policy.matchAll(/\]\(([^)#]+)/g)) {
    expect([path, existsSync(join(ROOT, ".github", path))]).toEqual([path, true]);
  }
});

test("a release needs a newer version, a clean checkout and a finished entry in the changelog", () => {
  const changelog =
    "# Changelog\n\n## 0.2.0\n\n25 November 2026.\n\n## 0.1.0\n\nNot released yet.\n";
  const fits = { version: "0.2.0", current: "0.1.0", changelog, changes: "" };
  expect(findObstacle(fits)).toBeUndefined();
  for (const [change, obstacle] of [
    [{ version: "0.2" }, "usage"],
    [{ version: "0.1.0" }, "not newer"],
    [{ version: "0.3.0", current: "0.3.0-dev" }, "in place of 0.3.0-dev"],
    [{ changes: "?? left-over" }, "left-over"],
    [{ changelog: changelog.replace("25 November 2026.", "Soon.") }, "no day"],
  ] as const) {
    expect(findObstacle({ ...fits, ...change })).toContain(obstacle);
  }
});

test("after a release the version is the next one's, with a section of its own in the changelog", () => {
  expect(["0.3.0", "0.3.1", "1.9.2"].map(nextVersion)).toEqual([
    "0.4.0-dev",
    "0.4.0-dev",
    "1.10.0-dev",
  ]);
  expect(withSection("# Changelog\n\nWords.\n\n## 0.3.0\n\nA day.\n", "0.4.0-dev")).toBe(
    "# Changelog\n\nWords.\n\n## 0.4.0-dev\n\n## 0.3.0\n\nA day.\n",
  );
  // Two programs with different schemas never have the same version.
  expect(RELEASES).not.toContain(packageInfo.version);
});

test("the Helm chart has the version of the program, and a release sets it", () => {
  const text = readFileSync(join(ROOT, "src/deploy/helm/feedgate/Chart.yaml"), "utf8");
  const { version } = packageInfo;
  expect(Bun.YAML.parse(text)).toMatchObject({ version, appVersion: version });
  const released = Bun.YAML.parse(withChartVersion(text, "1.2.3"));
  expect(released).toMatchObject({ version: "1.2.3", appVersion: "1.2.3" });
});

test("what the changelog says of a release stays as it was released", () => {
  const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  for (const version of RELEASES) {
    const released = readFileSync(releaseFiles(version).changelog, "utf8").trim();
    expect([version, changelogSection(changelog, version)]).toEqual([version, released]);
  }
});

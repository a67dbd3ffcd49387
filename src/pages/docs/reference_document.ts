/**
 * The parts of the OpenAPI document that the reference shows, and its operations by kind of caller.
 *
 * @module
 */
import { assert, present } from "../../lib/assert.ts";
import type { JsonObject } from "../../lib/records.ts";

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** A JSON Schema, as far as the reference shows one. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

export interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<
    Record<string, { readonly summary: string; readonly value: unknown }>
  >;
}

/** What a request or an answer carries, by media type. */
export type Contents = Readonly<Record<string, Media>>;

export interface Answer {
  readonly description: string;
  readonly content?: Contents;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly JsonObject[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly description: string; readonly content: Contents };
  /** By status. */
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface ReferenceDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An operation with its place in HTTP. */
export interface Route extends Operation {
  readonly method: string;
  readonly path: string;
}

export interface Section {
  readonly title: string;
  readonly routes: readonly Route[];
}

/** The operations of one kind of caller. */
export interface Group {
  readonly name: GroupName;
  readonly title: string;
  readonly about: string;
  readonly sections: readonly Section[];
}

interface SectionRule {
  readonly title: string;
  /** Operations with this tag, */
  readonly tag: string;
  /** of these beginnings of a path. @default every path */
  readonly paths?: readonly string[];
}

const GROUPS = {
  agents: {
    title: "Agents",
    about: "Find, read, follow and pay for feeds. Most calls require a read key.",
    sections: [
      { title: "Find feeds", tag: "discovery" },
      { title: "Read feeds", tag: "data" },
      { title: "Account and payment", tag: "account" },
      { title: "Agent skills", tag: "skills" },
    ],
  },
  providers: {
    title: "Providers",
    about: "Create and edit feeds, push rows, and see earnings. Calls require a write key.",
    sections: [
      { title: "Feeds", tag: "provider", paths: ["/v1/provider/feed"] },
      {
        title: "Rows",
        tag: "provider",
        paths: [
          "/v1/provider/feed/{feed_id}/push",
          "/v1/provider/feed/{feed_id}/import",
          "/v1/provider/feed/{feed_id}/rows",
        ],
      },
      { title: "Earnings", tag: "provider" },
    ],
  },
  operators: {
    title: "Operators",
    about:
      "Run the gateway: accounts, keys, credits, feeds and reports. Calls require an admin key.",
    sections: [
      { title: "Accounts", tag: "operator", paths: ["/v1/operator/accounts"] },
      { title: "Keys", tag: "operator", paths: ["/v1/operator/keys"] },
      {
        title: "People",
        tag: "operator",
        paths: ["/v1/operator/persons", "/v1/operator/accounts/{id}/members"],
      },
      {
        title: "Credits and promotions",
        tag: "operator",
        paths: ["/v1/operator/credits", "/v1/operator/promotions"],
      },
      {
        title: "Purchases and usage",
        tag: "operator",
        paths: ["/v1/operator/purchases", "/v1/operator/usage"],
      },
      { title: "Top-ups", tag: "operator", paths: ["/v1/operator/topups"] },
      { title: "Feeds", tag: "operator", paths: ["/v1/operator/feeds"] },
      { title: "Reports and payouts", tag: "operator" },
      { title: "Monitoring", tag: "operations" },
    ],
  },
} as const satisfies Readonly<
  Record<string, { title: string; about: string; sections: readonly SectionRule[] }>
>;

/** In the order of a section. */
const METHODS: readonly string[] = ["GET", "POST", "PATCH", "DELETE"];

export type GroupName = keyof typeof GROUPS;
export const GROUP_NAMES = Object.keys(GROUPS) as readonly GroupName[];

/** All operations by who calls them. Each is in one section: that with the longest beginning of its path. */
export function groupsOf(document: ReferenceDocument): readonly Group[] {
  const rules = GROUP_NAMES.flatMap((name): readonly SectionRule[] => GROUPS[name].sections);
  const byRule = Map.groupBy(routesOf(document), (route) => {
    const [best] = rules
      .map((rule) => ({ rule, fit: fitOf(route, rule) }))
      .toSorted((a, b) => b.fit - a.fit);
    assert(best !== undefined && best.fit >= 0, `${route.operationId} is in a section`);
    return best.rule;
  });
  return GROUP_NAMES.map((name) => {
    const { title, about, sections } = GROUPS[name];
    const filled = sections.map((rule: SectionRule) => ({
      title: rule.title,
      routes: (byRule.get(rule) ?? []).toSorted(
        (a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method),
      ),
    }));
    return { name, title, about, sections: filled };
  });
}

/** The length of the rule's beginning of the route's path, or -1 if the rule is not about the route. */
function fitOf({ path, tags }: Route, { tag, paths = [""] }: SectionRule): number {
  if (tags[0] !== tag) return -1;
  return Math.max(...paths.map((each) => (path.startsWith(each) ? each.length : -1)));
}

/** All operations, in the document's order. */
export function routesOf(document: ReferenceDocument): readonly Route[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** A schema with its name, if it is one of the document's components. */
export function resolved(
  schema: Schema,
  { components }: ReferenceDocument,
): { readonly name: string | undefined; readonly schema: Schema } {
  const name = schema.$ref?.split("/").at(-1);
  if (name === undefined) return { name, schema };
  return { name, schema: present(components.schemas[name]) };
}

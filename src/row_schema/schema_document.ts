/**
 * A provider's schema as a document: which subschemas it has, and what each reference means.
 *
 * A document may hold several resources (subschemas with their own `$id`), each with anchors. A
 * reference is resolved against the resource it stands in, and must end inside the document: nothing is
 * ever fetched, and the metaschemas are no part of it. JSON Schema 2020-12 core 8 and 9; draft-07 core 8.
 *
 * @module
 */
import { SUBSCHEMAS_MAX } from "./limits.ts";
import { SchemaRefused } from "./schema_refused.ts";

export type Dialect = "2020-12" | "draft-07";
export type JsonObject = { readonly [key: string]: unknown };

/** A part of the document with its own base URI. */
export interface Resource {
  readonly index: number;
  readonly uri: string;
  readonly root: JsonObject;
  readonly anchors: Map<string, JsonObject>;
  /** Those of `anchors` that a `$dynamicRef` looks up at run time. */
  readonly dynamicAnchors: Map<string, JsonObject>;
}

/** What a `$ref` or `$dynamicRef` means. */
export interface Reference {
  readonly target: JsonObject | boolean;
  /** The name, where the outermost resource that has it as a dynamic anchor decides. */
  readonly dynamicName?: string;
}

export interface SchemaDocument {
  readonly dialect: Dialect;
  readonly root: JsonObject;
  readonly resourceOf: (node: JsonObject) => Resource;
  readonly referencesOf: (node: JsonObject) => NodeReferences;
  /** Nodes that a reference may reach; the others are only ever used where they stand. */
  readonly targets: ReadonlySet<JsonObject>;
  readonly isDynamic: boolean;
  /** Whether `unevaluatedItems` or `unevaluatedProperties` is in use. */
  readonly hasUnevaluated: boolean;
}

interface NodeReferences {
  ref?: Reference;
  dynamicRef?: Reference;
}

/** Says what is wrong with a subschema by the metaschema, or undefined. */
export type MetaCheck = (dialect: Dialect, node: JsonObject) => string | undefined;

/** A schema without `$id` has this base. */
const BASE_URI = "feedgate-schema:///";

/** How the value of each keyword holds subschemas. */
const HOLDS_ONE = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;
const HOLDS_LIST = ["allOf", "anyOf", "items", "oneOf", "prefixItems"] as const;
const HOLDS_MAP = [
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
] as const;

/** @throws {SchemaRefused} */
export function readSchemaDocument(root: JsonObject, metaCheck: MetaCheck): SchemaDocument {
  const dialect = readDialect(root);
  const refusal = metaCheck(dialect, root);
  if (refusal !== undefined) throw new SchemaRefused(refusal);
  const reader = new DocumentReader(dialect, root, metaCheck);
  reader.readReferences();
  return {
    dialect,
    root,
    resourceOf: (node) => reader.resourceOf(node),
    referencesOf: (node) => reader.references.get(node) ?? {},
    targets: reader.targets,
    isDynamic: reader.isDynamic,
    hasUnevaluated: reader.hasUnevaluated,
  };
}

/** http and https, with and without the empty fragment: all four are in use. */
function readDialect(node: JsonObject): Dialect {
  const uri = node.$schema;
  if (uri === undefined) return "2020-12";
  const dialect = typeof uri === "string" ? dialectOf(uri) : undefined;
  if (dialect !== undefined) return dialect;
  throw new SchemaRefused(
    `$schema must be "https://json-schema.org/draft/2020-12/schema" or "http://json-schema.org/draft-07/schema#", got ${JSON.stringify(uri).slice(0, 100)}`,
  );
}

function dialectOf(uri: string): Dialect | undefined {
  const match = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft-07)\/schema#?$/.exec(uri);
  if (match === null) return undefined;
  return match[1] === "draft-07" ? "draft-07" : "2020-12";
}

class DocumentReader {
  readonly references = new Map<JsonObject, NodeReferences>();
  readonly targets = new Set<JsonObject>();
  isDynamic = false;
  hasUnevaluated = false;
  readonly #nodes = new Map<JsonObject, Resource>();
  readonly #resources = new Map<string, Resource>();
  /** Nodes whose references are not resolved yet: a target outside the known keywords adds more. */
  readonly #unread: JsonObject[] = [];

  readonly #dialect: Dialect;
  readonly #metaCheck: MetaCheck;

  constructor(dialect: Dialect, root: JsonObject, metaCheck: MetaCheck) {
    this.#dialect = dialect;
    this.#metaCheck = metaCheck;
    this.#register(root, this.#addResource(BASE_URI, root));
  }

  resourceOf(node: JsonObject): Resource {
    const resource = this.#nodes.get(node);
    if (resource === undefined) throw new SchemaRefused("a reference points to no schema");
    return resource;
  }

  readReferences(): void {
    for (let node = this.#unread.pop(); node !== undefined; node = this.#unread.pop()) {
      this.#readReferencesOf(node);
    }
    if (!this.isDynamic) return;
    for (const resource of this.#resources.values()) {
      for (const node of resource.dynamicAnchors.values()) this.targets.add(node);
    }
  }

  #readReferencesOf(node: JsonObject): void {
    const found: NodeReferences = {};
    const from = this.resourceOf(node);
    if (typeof node.$ref === "string") found.ref = this.#resolve(node.$ref, from);
    if (this.#dialect === "2020-12" && typeof node.$dynamicRef === "string") {
      found.dynamicRef = this.#resolveDynamic(node.$dynamicRef, from);
    }
    for (const reference of [found.ref, found.dynamicRef]) {
      if (typeof reference?.target === "object") this.targets.add(reference.target);
    }
    if (found.ref !== undefined || found.dynamicRef !== undefined) this.references.set(node, found);
  }

  #resolveDynamic(text: string, from: Resource): Reference {
    const reference = this.#resolve(text, from);
    const name = splitUri(text).fragment;
    if (typeof reference.target === "boolean") return reference;
    // Core 8.2.3.2: only where the first look-up ends at a dynamic anchor does the scope decide.
    const isDynamicAnchor =
      this.resourceOf(reference.target).dynamicAnchors.get(name) === reference.target;
    if (!isDynamicAnchor) return reference;
    this.isDynamic = true;
    return { target: reference.target, dynamicName: name };
  }

  #resolve(text: string, from: Resource): Reference {
    const { uri, fragment } = splitUri(text);
    const resource = this.#resources.get(uri === "" ? from.uri : resolveUri(uri, from.uri));
    const target = resource === undefined ? undefined : this.#find(resource, fragment);
    if (target !== undefined) return { target };
    throw new SchemaRefused(
      `the reference ${JSON.stringify(text.slice(0, 100))} points to nothing in this document; nothing outside it is read`,
    );
  }

  #find(resource: Resource, fragment: string): JsonObject | boolean | undefined {
    if (fragment === "") return resource.root;
    if (!fragment.startsWith("/")) return resource.anchors.get(fragment);
    return this.#findByPointer(resource, fragment);
  }

  #findByPointer(start: Resource, pointer: string): JsonObject | boolean | undefined {
    let resource = start;
    let value: unknown = start.root;
    for (const escaped of pointer.slice(1).split("/")) {
      value = memberOf(value, escaped.replaceAll("~1", "/").replaceAll("~0", "~"));
      if (isObject(value)) resource = this.#nodes.get(value) ?? resource;
    }
    if (typeof value === "boolean") return value;
    if (!isObject(value)) return undefined;
    if (!this.#nodes.has(value)) this.#registerElsewhere(value, resource);
    return value;
  }

  /** A target under no keyword that holds schemas has not been looked at by the metaschema. */
  #registerElsewhere(node: JsonObject, resource: Resource): void {
    const refusal = this.#metaCheck(this.#dialect, node);
    if (refusal !== undefined) throw new SchemaRefused(refusal);
    this.#register(node, resource);
  }

  #register(node: JsonObject, parent: Resource): void {
    if (this.#nodes.has(node)) return;
    if (this.#nodes.size >= SUBSCHEMAS_MAX) {
      throw new SchemaRefused(`a schema has at most ${SUBSCHEMAS_MAX} subschemas`);
    }
    if (node.$schema !== undefined && readDialect(node) !== this.#dialect) {
      throw new SchemaRefused("$schema must be the same in the whole document");
    }
    // Draft-07: beside a $ref everything is ignored; definitions stay, for pointers into them.
    const isOnlyRef = this.#dialect === "draft-07" && typeof node.$ref === "string";
    const resource = isOnlyRef ? parent : this.#identify(node, parent);
    this.#nodes.set(node, resource);
    this.hasUnevaluated ||=
      node.unevaluatedItems !== undefined || node.unevaluatedProperties !== undefined;
    this.#unread.push(node);
    for (const child of subschemasOf(node, isOnlyRef)) this.#register(child, resource);
  }

  /** Reads `$id` and the anchors; the resource that the node stands in. */
  #identify(node: JsonObject, parent: Resource): Resource {
    const id = typeof node.$id === "string" ? splitUri(node.$id) : { uri: "", fragment: "" };
    const resource =
      id.uri === "" ? parent : this.#addResource(resolveUri(id.uri, parent.uri), node);
    if (this.#dialect === "draft-07") {
      if (id.fragment !== "") addAnchor(resource.anchors, id.fragment, node);
      return resource;
    }
    if (typeof node.$anchor === "string") addAnchor(resource.anchors, node.$anchor, node);
    if (typeof node.$dynamicAnchor === "string") {
      addAnchor(resource.anchors, node.$dynamicAnchor, node);
      resource.dynamicAnchors.set(node.$dynamicAnchor, node);
    }
    return resource;
  }

  #addResource(uri: string, root: JsonObject): Resource {
    if (this.#resources.has(uri)) {
      throw new SchemaRefused(`two subschemas have the $id ${JSON.stringify(uri.slice(0, 100))}`);
    }
    const resource: Resource = {
      index: this.#resources.size,
      uri,
      root,
      anchors: new Map(),
      dynamicAnchors: new Map(),
    };
    this.#resources.set(uri, resource);
    return resource;
  }
}

function addAnchor(anchors: Map<string, JsonObject>, name: string, node: JsonObject): void {
  const known = anchors.get(name);
  if (known !== undefined && known !== node) {
    throw new SchemaRefused(`two subschemas have the anchor ${JSON.stringify(name.slice(0, 100))}`);
  }
  anchors.set(name, node);
}

function subschemasOf(node: JsonObject, isOnlyRef: boolean): JsonObject[] {
  if (isOnlyRef) return valuesOf(node.definitions).filter(isObject);
  const values: unknown[] = HOLDS_ONE.map((keyword) => node[keyword]);
  for (const keyword of HOLDS_LIST) {
    const list = node[keyword];
    if (Array.isArray(list)) values.push(...list);
  }
  for (const keyword of HOLDS_MAP) values.push(...valuesOf(node[keyword]));
  return values.filter(isObject);
}

function valuesOf(map: unknown): unknown[] {
  return isObject(map) ? Object.values(map) : [];
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function memberOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9][0-9]*)$/.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function splitUri(text: string): { uri: string; fragment: string } {
  const hash = text.indexOf("#");
  if (hash === -1) return { uri: text, fragment: "" };
  try {
    return { uri: text.slice(0, hash), fragment: decodeURIComponent(text.slice(hash + 1)) };
  } catch {
    throw new SchemaRefused(`${JSON.stringify(text.slice(0, 100))} is not a URI reference`);
  }
}

function resolveUri(text: string, base: string): string {
  const uri = URL.parse(text, base);
  if (uri === null) {
    throw new SchemaRefused(`${JSON.stringify(text.slice(0, 100))} is not a URI reference`);
  }
  return uri.href;
}

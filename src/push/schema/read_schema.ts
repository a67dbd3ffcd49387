/**
 * Reads a schema: finds its subschemas, checks whether each is valid, and resolves its references.
 *
 * A document may contain several resources (subschemas with their own `$id`), each with anchors. A reference is
 * resolved against the resource that contains it, and its target must be inside the document: nothing is ever fetched,
 * and the metaschemas are not part of it. JSON Schema 2020-12 core 8 and 9; draft-07 core 8.
 *
 * @module
 */
import { excerpt } from "../../lib/code_points.ts";
import { pointerTo } from "../../lib/json_text.ts";
import type { JsonObject } from "../../lib/records.ts";
import { isObject } from "./exact_numbers.ts";
import { type Dialect, findKeyword, heldSchemas, type Schema } from "./schema_keywords.ts";
import { SchemaRefused } from "./schema_refused.ts";

/** A part of the document with its own base URI. */
export interface Resource {
  readonly uri: string;
  readonly root: Schema;
  readonly anchors: Map<string, JsonObject>;
  /** The `anchors` that a `$dynamicRef` looks up while rows are checked. */
  readonly dynamicAnchors: Map<string, JsonObject>;
}

/** The target of a `$ref` or `$dynamicRef`. */
export interface Reference {
  readonly target: Schema;
  /** Set for a dynamic anchor: the outermost resource with this anchor decides. Core 8.2.3.2. */
  readonly dynamicName?: string;
}

/** A subschema that is an object. */
export interface SchemaNode {
  readonly schema: JsonObject;
  readonly resource: Resource;
  /** RFC 6901, in the document. */
  readonly pointer: string;
  /** References by `$ref` and `$dynamicRef`. */
  readonly references: Reference[];
}

/** Subschemas in a schema. 256 KiB could contain 60,000, which take a worker seconds. */
const SUBSCHEMAS_MAX = 5_000;
/** Keywords whose subschemas apply to the same value as the schema that contains them. */
const IN_PLACE = [
  ...["allOf", "anyOf", "oneOf", "not", "if", "then", "else"],
  ...["dependencies", "dependentSchemas"],
];
/** Base URI of a schema without `$id`. */
const BASE_URI = "feedgate-schema:///";
const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft\/)?(2020-12|draft-07)\/schema#?$/;

export class SchemaDocument {
  readonly dialect: Dialect;
  readonly root: Schema;
  readonly nodes = new Map<JsonObject, SchemaNode>();
  /** Whether a reference depends on the path that led to it. */
  isDynamic = false;
  readonly #resources = new Map<string, Resource>();

  /** @throws {SchemaRefused} */
  constructor(root: Schema) {
    this.root = root;
    this.dialect = isObject(root) ? dialectOf(root, "") : "2020-12";
    this.#register(root, { resource: this.#addResource(BASE_URI, root, ""), pointer: "" });
    this.#resolveAll();
    this.#refuseEndlessLoops();
  }

  /** A target that is not under a keyword adds nodes, which the loop visits later. */
  #resolveAll(): void {
    for (const { schema, resource, references, pointer } of this.nodes.values()) {
      if (typeof schema.$ref === "string") {
        references.push(this.#resolve(schema.$ref, resource, `${pointer}/$ref`));
      }
      if (this.dialect === "2020-12" && typeof schema.$dynamicRef === "string") {
        const from = `${pointer}/$dynamicRef`;
        references.push(this.#resolveDynamic(schema.$dynamicRef, resource, from));
      }
    }
  }

  #resolveDynamic(text: string, from: Resource, pointer: string): Reference {
    const reference = this.#resolve(text, from, pointer);
    const { target } = reference;
    const name = splitUri(text, pointer).fragment;
    // Core 8.2.3.2: the path decides only if the first look-up ends at a dynamic anchor.
    const resource = isObject(target) ? this.nodes.get(target)?.resource : undefined;
    if (resource?.dynamicAnchors.get(name) !== target) return reference;
    this.isDynamic = true;
    return { target, dynamicName: name };
  }

  #resolve(text: string, from: Resource, pointer: string): Reference {
    const { uri, fragment } = splitUri(text, pointer);
    const resource = this.#resources.get(
      uri === "" ? from.uri : resolveUri(uri, from.uri, pointer),
    );
    const target = resource === undefined ? undefined : this.#find(resource, fragment);
    if (target !== undefined) return { target };
    throw new SchemaRefused(
      `the reference ${shown(text)} points to nothing in this schema, and references to other documents are not supported`,
      pointer,
    );
  }

  #find(resource: Resource, fragment: string): Schema | undefined {
    if (fragment === "") return resource.root;
    if (!fragment.startsWith("/")) return resource.anchors.get(fragment);
    let place = { resource, pointer: "" };
    let value: unknown = resource.root;
    for (const segment of fragment.slice(1).split("/")) {
      const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
      const node = isObject(value) ? this.nodes.get(value) : undefined;
      place = { ...(node ?? place), pointer: (node ?? place).pointer + pointerTo(key) };
      value = memberOf(value, key);
    }
    if (isObject(value)) this.#register(value, place);
    return isObject(value) || typeof value === "boolean" ? value : undefined;
  }

  /** Checks a subschema and all its descendants. */
  #register(schema: Schema, { resource: parent, pointer }: Place): void {
    if (typeof schema === "boolean" || this.nodes.has(schema)) return;
    if (this.nodes.size >= SUBSCHEMAS_MAX) {
      throw new SchemaRefused(`a schema must have at most ${SUBSCHEMAS_MAX} subschemas`, pointer);
    }
    if (schema.$schema !== undefined && dialectOf(schema, pointer) !== this.dialect) {
      throw new SchemaRefused("$schema must be the same in the whole schema", `${pointer}/$schema`);
    }
    // Draft-07: keywords beside a $ref are ignored. Definitions are kept, because pointers may lead to them.
    const isOnlyRef = this.dialect === "draft-07" && schema.$ref !== undefined;
    const resource = isOnlyRef ? parent : this.#identify(schema, parent, pointer);
    this.nodes.set(schema, { schema, resource, pointer, references: [] });
    for (const [name, value] of Object.entries(schema)) {
      const keyword = findKeyword(this.dialect, name);
      if (keyword === undefined) continue;
      const at = pointer + pointerTo(name);
      if (!keyword.isAllowed(value)) {
        throw new SchemaRefused(`${name} must be ${keyword.rule}, got ${shown(value)}`, at);
      }
      if (isOnlyRef && name !== "definitions") continue;
      for (const [path, held] of heldSchemas(keyword, value)) {
        this.#register(held, { resource, pointer: at + path });
      }
    }
  }

  /** Reads `$id` and the anchors. Returns the resource that the subschema belongs to. */
  #identify(schema: JsonObject, parent: Resource, pointer: string): Resource {
    const { $id, $anchor, $dynamicAnchor } = schema;
    const id = splitUri(typeof $id === "string" ? $id : "", `${pointer}/$id`);
    const uri = id.uri === "" ? undefined : resolveUri(id.uri, parent.uri, `${pointer}/$id`);
    const resource = uri === undefined ? parent : this.#addResource(uri, schema, `${pointer}/$id`);
    const anchors =
      this.dialect === "draft-07" ? { $id: id.fragment } : { $anchor, $dynamicAnchor };
    for (const [keyword, name] of Object.entries(anchors)) {
      if (typeof name === "string" && name !== "") {
        addAnchor(resource, { name, schema, pointer: `${pointer}/${keyword}` });
      }
    }
    if (this.dialect === "2020-12" && typeof $dynamicAnchor === "string") {
      resource.dynamicAnchors.set($dynamicAnchor, schema);
    }
    return resource;
  }

  #addResource(uri: string, root: Schema, pointer: string): Resource {
    if (this.#resources.has(uri)) {
      throw new SchemaRefused(`two subschemas have the $id ${shown(uri)}`, pointer);
    }
    const resource = { uri, root, anchors: new Map(), dynamicAnchors: new Map() };
    this.#resources.set(uri, resource);
    return resource;
  }

  /** Refuses subschemas that apply one another to the same value, which would never end. */
  #refuseEndlessLoops(): void {
    const state = new Map<JsonObject, "open" | "done">();
    const visit = (schema: Schema): void => {
      const node = isObject(schema) ? this.nodes.get(schema) : undefined;
      if (node === undefined || state.get(node.schema) === "done") return;
      if (state.get(node.schema) === "open") {
        throw new SchemaRefused(
          "references form a cycle that never descends into the value",
          node.pointer,
        );
      }
      state.set(node.schema, "open");
      for (const { target } of node.references) visit(target);
      for (const each of this.#appliedInPlace(node)) visit(each);
      state.set(node.schema, "done");
    };
    for (const schema of this.nodes.keys()) visit(schema);
  }

  #appliedInPlace({ schema, references }: SchemaNode): Schema[] {
    if (this.dialect === "draft-07" && references.length > 0) return [];
    return IN_PLACE.flatMap((name) => {
      const keyword = findKeyword(this.dialect, name);
      return keyword === undefined ? [] : heldSchemas(keyword, schema[name]);
    }).map(([, each]) => each);
  }
}

/** http and https, with and without the empty fragment: all four are in use. */
export function dialectOf({ $schema: uri }: JsonObject, pointer: string): Dialect {
  if (uri === undefined) return "2020-12";
  const dialect = typeof uri === "string" ? DIALECT.exec(uri)?.[1] : undefined;
  if (dialect === "2020-12" || dialect === "draft-07") return dialect;
  throw new SchemaRefused(
    `$schema must be "https://json-schema.org/draft/2020-12/schema" or "http://json-schema.org/draft-07/schema#", got ${shown(uri)}`,
    `${pointer}/$schema`,
  );
}

/** The location of a subschema. */
interface Place {
  readonly resource: Resource;
  readonly pointer: string;
}

function addAnchor(
  { anchors }: Resource,
  { name, schema, pointer }: { name: string; schema: JsonObject; pointer: string },
): void {
  const known = anchors.get(name);
  if (known !== undefined && known !== schema) {
    throw new SchemaRefused(`two subschemas have the anchor ${shown(name)}`, pointer);
  }
  anchors.set(name, schema);
}

function memberOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9][0-9]*)$/.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function splitUri(text: string, pointer: string): { uri: string; fragment: string } {
  const hash = text.indexOf("#");
  if (hash === -1) return { uri: text, fragment: "" };
  try {
    return { uri: text.slice(0, hash), fragment: decodeURIComponent(text.slice(hash + 1)) };
  } catch {
    throw notUri(text, pointer);
  }
}

function resolveUri(text: string, base: string, pointer: string): string {
  const uri = URL.parse(text, base);
  if (uri === null) throw notUri(text, pointer);
  return uri.href;
}

function notUri(text: string, pointer: string): SchemaRefused {
  return new SchemaRefused(`${shown(text)} is not a URI reference`, pointer);
}

/** A value, as shown in a message. */
function shown(value: unknown): string {
  return excerpt(JSON.stringify(value) ?? "nothing");
}

import { describe, expect, test } from "bun:test";
import { parseBody } from "../../src/api/input/parse_body.ts";
import { readChanges, type SaveMode, upsertIdOf } from "../../src/feeds/feed_body.ts";
import { CreateFeedShape, EditFeedShape } from "../../src/feeds/feed_shapes.ts";
import slugs from "../fixtures/slugs.json";
import { threadMs } from "../support/thread_time.ts";

const ID = "0B3B6E84-5B5C-4C4E-9E0F-3C7A7F0D9A11";

function bodyOf(text: string) {
  const outcome = parseBody(text);
  if (outcome.kind !== "body") throw new Error(`no body: ${JSON.stringify(outcome)}`);
  return outcome.body;
}

/** The stored fields of an edit (or create), or the paths of its mistakes. */
function read(text: string, mode: SaveMode = "edit"): string | string[] {
  const outcome = readChanges(bodyOf(text), mode);
  return outcome.kind === "changes"
    ? outcome.changes.fields
    : outcome.errors.map(({ path }) => path);
}

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("parseBody", () => {
  test("a body that is no JSON is distinguished from JSON that is refused", () => {
    for (const text of ["", "{", "{'a':1}", "NaN", '{"a":1,}', "\ufeff{}"]) {
      expect(parseBody(text).kind).toBe("not_json");
    }
    const refused: [string, string][] = [
      ["[]", ""],
      ["null", ""],
      ['"text"', ""],
      ['{"name":"a","name":"b"}', "/name"],
      ['{"name":"\\u0000"}', "/name"],
      ['{"sample_response":{"a":["\\ud800"]}}', "/sample_response/a/0"],
      ['{"schema_version":1e400}', "/schema_version"],
    ];
    expect(parseBody('{"name":"\\u0000","readme_md":"\\ud800"}')).toMatchObject({
      errors: [{ path: "/name" }, { path: "/readme_md" }],
      errorCount: 2,
    });
    for (const [text, path] of refused) {
      expect(parseBody(text)).toMatchObject({ kind: "invalid", errors: [{ path }] });
    }
  });
  test("a sample may be nested 100 deep, as a row may, and no deeper", () => {
    expect(read(`{"sample_response":${nested(100)}}`)).toBe(`{"sample_response":${nested(100)}}`);
    expect(parseBody(`{"sample_response":${nested(101)}}`).kind).toBe("invalid");
  });
});

describe("upsertIdOf", () => {
  test("gives a UUID in lower case, and nothing for what is none", () => {
    expect(upsertIdOf(bodyOf(`{"id":"${ID}"}`))).toBe(ID.toLowerCase());
    for (const text of ["{}", '{"id":null}', '{"id":1}', '{"id":"x"}']) {
      expect(upsertIdOf(bodyOf(text))).toBeUndefined();
    }
  });
});

describe("readChanges", () => {
  test("texts are bounded in code points, not in UTF-16 units or bytes", () => {
    const bounds: [string, number, number][] = [
      ["name", 1, 200],
      ["description", 0, 2_000],
      ["readme_md", 0, 200_000],
      ["category", 1, 100],
      ["update_frequency_text", 0, 200],
    ];
    for (const [field, least, most] of bounds) {
      for (const character of ["a", "é", "漢", "😀"]) {
        const fits = JSON.stringify({ [field]: character.repeat(most) });
        expect(read(fits)).toBe(fits);
        expect(read(JSON.stringify({ [field]: character.repeat(most + 1) }))).toEqual([
          `/${field}`,
        ]);
      }
      expect(read(`{"${field}":""}`)).toEqual(least === 0 ? `{"${field}":""}` : [`/${field}`]);
      expect(read(`{"${field}":5}`)).toEqual([`/${field}`]);
    }
  });

  test("null clears what may be empty, and is refused elsewhere", () => {
    for (const field of [
      "description",
      "readme_md",
      "category",
      "sample_response",
      "schema_definition",
      "update_frequency_text",
      "feed_type",
    ]) {
      expect(read(`{"${field}":null}`)).toBe(`{"${field}":null}`);
    }
    for (const field of [
      "name",
      "endpoint_path",
      "schema_version",
      "schema_locked",
      "sync_interval_mins",
      "status",
      "price_type",
    ]) {
      expect(read(`{"${field}":null}`)).toEqual([`/${field}`]);
    }
  });

  test("the aliases of feed_type become the canonical names", () => {
    const names = {
      singleton: "singleton",
      collection: "collection",
      stream: "stream",
      snapshot: "singleton",
      version_collection: "collection",
      time_stream: "stream",
    };
    for (const [given, stored] of Object.entries(names)) {
      expect(read(`{"feed_type":"${given}"}`)).toBe(`{"feed_type":"${stored}"}`);
    }
    for (const wrong of ['"Stream"', '"toString"', '""', "1", "[]"]) {
      expect(read(`{"feed_type":${wrong}}`)).toEqual(["/feed_type"]);
    }
  });

  test("a slug has the documented form and is no UUID", () => {
    for (const { text } of slugs) {
      const isSlug =
        text.length <= 80 &&
        /^[a-z0-9-]+$/.test(text) &&
        !text.startsWith("-") &&
        !text.endsWith("-");
      const fields = JSON.stringify({ endpoint_path: text });
      expect(read(fields)).toEqual(isSlug ? fields : ["/endpoint_path"]);
    }
    for (const good of ["a", "0", "a-b", "a--b", "a".repeat(80)]) {
      expect(read(`{"endpoint_path":"${good}"}`)).toBe(`{"endpoint_path":"${good}"}`);
    }
    for (const bad of [
      "",
      "-a",
      "a-",
      "A",
      "a_b",
      "a b",
      "é",
      "a".repeat(81),
      "a\\n",
      ID.toLowerCase(),
    ]) {
      expect(read(`{"endpoint_path":"${bad}"}`)).toEqual(["/endpoint_path"]);
    }
  });

  test("sync_interval_mins is an integer by value, from 1 to 525,600", () => {
    const stored: [string, string][] = [
      ["1", "1"],
      ["60.0", "60"],
      ["6e1", "60"],
      ["525600", "525600"],
    ];
    for (const [given, text] of stored) {
      expect(read(`{"sync_interval_mins":${given}}`)).toBe(`{"sync_interval_mins":${text}}`);
    }
    for (const wrong of ["0", "-0", "-1", "525601", "1.5", "1e300", '"60"', "true"]) {
      expect(read(`{"sync_interval_mins":${wrong}}`)).toEqual(["/sync_interval_mins"]);
    }
  });

  test("schema_version and draft_step keep their digits", () => {
    for (const field of ["schema_version", "draft_step"]) {
      for (const text of ["1", "1.50", "-3", "0.1000000000000000055511151231257827"]) {
        expect(read(`{"${field}":${text}}`)).toBe(`{"${field}":${text}}`);
      }
      expect(read(`{"${field}":1e308}`)).toBe(`{"${field}":1${"0".repeat(308)}}`);
      expect(read(`{"${field}":0e999999999}`)).toBe(`{"${field}":0}`);
      expect(read(`{"${field}":"1"}`)).toEqual([`/${field}`]);
      const created = `{"name":"n","endpoint_path":"n","${field}":null}`;
      expect(read(created, "create")).toEqual([`/${field}`]);
    }
  });

  test("a schema is an object and a sample any JSON, kept character for character", () => {
    const text = '{"b":1.0,"a":12345678901234567890,"\\u0061b":"\\/","0":[1e2,-0]}';
    for (const field of ["schema_definition", "sample_response"]) {
      expect(read(`{ "${field}" : ${text} }`)).toBe(`{"${field}":${text}}`);
    }
    for (const wrong of ["true", "[]", '"{}"', "1"]) {
      expect(read(`{"schema_definition":${wrong}}`)).toEqual(["/schema_definition"]);
      expect(read(`{"sample_response":${wrong}}`)).toBe(`{"sample_response":${wrong}}`);
    }
  });

  test("a schema and a sample may have 256 KiB, white space not counted", () => {
    const most = 256 * 1_024;
    for (const field of ["schema_definition", "sample_response"]) {
      const fits = `{"title":"${"é".repeat((most - 12) / 2)}"}`;
      expect(Buffer.byteLength(fits)).toBe(most);
      expect(read(`{"${field}":  ${fits}}`)).toBe(`{"${field}":${fits}}`);
      expect(read(`{"${field}":${fits.replace("title", "titles")}}`)).toEqual([`/${field}`]);
    }
  });

  test("of very many unknown fields all are counted, and twenty are named", () => {
    const names = Array.from({ length: 90_000 }, (_, place) => `f${place}`);
    const beforeMs = threadMs();
    const outcome = readChanges(bodyOf(`{${names.map((name) => `"${name}":0`)}}`), "edit");
    // Ten times what it takes; a suggestion for each of them took seconds.
    expect(threadMs() - beforeMs).toBeLessThan(1_000);
    expect(outcome).toMatchObject({ kind: "invalid", errorCount: names.length });
    expect(outcome.kind === "invalid" && outcome.errors.map(({ path }) => path)).toEqual(
      names.slice(0, 20).map((name) => `/${name}`),
    );
  });

  test("an empty schema is not for compiling", () => {
    const schemaOf = (text: string) => {
      const outcome = readChanges(bodyOf(text), "edit");
      return outcome.kind === "changes" ? outcome.changes.schema : outcome;
    };
    expect(schemaOf('{"schema_definition":{ }}')).toBeUndefined();
    expect(schemaOf('{"schema_definition":null}')).toBeUndefined();
    expect(schemaOf('{"schema_definition":{"a": 1}}')).toBe('{"a":1}');
  });

  test("read-only fields are ignored, whatever they hold; others are unknown", () => {
    const readOnly = {
      id: 5,
      consumer_type: 1,
      reliability_score: "x",
      last_sync_at: 0,
      storage_config: [],
      provider: null,
      is_public: "yes",
      created_at: {},
      updated_at: {},
      max_feeds_allowed: -1,
      feeds_used: "many",
    };
    expect(read(JSON.stringify(readOnly))).toBe("{}");
    expect(read('{"__proto__":1,"constructor":1,"toString":1,"a/b~c":1,"Name":"x","":1}')).toEqual([
      "/__proto__",
      "/constructor",
      "/toString",
      "/a~1b~0c",
      "/Name",
      "/",
    ]);
  });

  test("status takes active at edit only", () => {
    for (const status of ["draft", "inactive"]) {
      expect(read(`{"status":"${status}"}`)).toBe(`{"status":"${status}"}`);
    }
    expect(read('{"status":"active"}')).toBe('{"status":"active"}');
    expect(read('{"name":"n","endpoint_path":"p","status":"active"}', "create")).toEqual([
      "/status",
    ]);
    expect(read('{"status":"published"}')).toEqual(["/status"]);
  });

  test("a create needs name and endpoint_path, and a UUID where it has an id", () => {
    expect(read("{}", "create")).toEqual(["/name", "/endpoint_path"]);
    for (const id of ["null", "1", '"x"', '"0b3b6e845b5c4c4e9e0f3c7a7f0d9a11"']) {
      expect(read(`{"id":${id},"name":"n","endpoint_path":"p"}`, "create")).toEqual(["/id"]);
    }
    expect(read(`{"id":"${ID}","name":"n","endpoint_path":"p"}`, "create")).toBe(
      '{"name":"n","endpoint_path":"p"}',
    );
  });

  test("pricing is undecided without a pricing field, and a wrong type goes before a wrong price", () => {
    const kinds = (text: string) => {
      const outcome = readChanges(bodyOf(text), "edit");
      return outcome.kind === "changes" ? outcome.changes.pricing : outcome.kind;
    };
    expect(kinds('{"name":"n"}')).toBeUndefined();
    expect(kinds('{"price_per_1k":1e-3}')).toMatchObject({ callPriceNanos: 1_000n });
    expect(kinds('{"price_per_1k":0.00100000000}')).toMatchObject({ callPriceNanos: 1_000n });
    expect(kinds('{"price_per_1k":0e9999999}')).toMatchObject({ priceType: "free" });
    expect(kinds('{"one_time_price_cents":5e2}')).toMatchObject({ oneTimePriceCents: 500n });
    expect(kinds('{"price_per_1k":1e308}')).toBe("pricing_invalid");
    expect(kinds('{"price_per_1k":1e-308}')).toBe("pricing_invalid");
    expect(kinds('{"price_per_1k":-1}')).toBe("pricing_invalid");
    for (const wrong of [
      '{"price_per_1k":"1"}',
      '{"one_time_price_cents":100.5}',
      '{"one_time_price_cents":"500"}',
      '{"price_type":"paid"}',
      '{"price_type":"metered","description":5}',
    ]) {
      expect(kinds(wrong)).toBe("invalid");
    }
  });
});

describe("the documented bodies of create and edit", () => {
  test("every field is one that is read, and creation needs name and endpoint_path", () => {
    for (const [schema, mode] of [
      [CreateFeedShape, "create"],
      [EditFeedShape, "edit"],
    ] as const) {
      for (const field of Object.keys(schema.properties)) {
        const outcome = readChanges(bodyOf(`{"${field}":[]}`), mode);
        const messages = outcome.kind === "changes" ? [] : outcome.errors.map((e) => e.message);
        expect(messages.join()).not.toContain("no field");
      }
    }
    const required: readonly string[] | undefined = CreateFeedShape.required;
    expect(required).toEqual(["name", "endpoint_path"]);
    expect(EditFeedShape.required).toBeUndefined();
  });
});

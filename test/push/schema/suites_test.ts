/**
 * The official JSON Schema suites, through the API as the push route calls it.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { createRowSchemas } from "../../../src/push/schema/row_schemas.ts";
import draft7 from "../../fixtures/json-schema-draft7.json" with { type: "json" };
import draft2020 from "../../fixtures/json-schema-draft2020-12.json" with { type: "json" };
import { CALLER } from "./caller.ts";

interface Group {
  readonly file: string;
  readonly needs_remote: boolean;
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { description: string; data: unknown; valid: boolean }[];
}

/** Groups that do not apply here, by file, each with its reason. */
const EXCEPTIONS: readonly { readonly file: RegExp; readonly reason: string }[] = [
  { file: /^optional\/format\//, reason: "format is an annotation" },
  { file: /^optional\/format-assertion\.json$/, reason: "format is an annotation" },
  { file: /^optional\/content\.json$/, reason: "contentEncoding and so on are annotations" },
];

/** Also needs_remote: it reads from a server or a metaschema, and nothing is ever fetched. */
function isException({ file, needs_remote }: Group): boolean {
  return needs_remote || EXCEPTIONS.some((exception) => exception.file.test(file));
}

const rowSchemas = createRowSchemas();
afterAll(() => rowSchemas.close());

const SUITES = [
  { name: "2020-12", groups: draft2020 as readonly Group[], schemaUri: undefined },
  {
    name: "draft-07",
    groups: draft7 as readonly Group[],
    schemaUri: "http://json-schema.org/draft-07/schema#",
  },
];

/** The draft-07 suite leaves $schema out, where this gateway takes 2020-12. */
function schemaText(schema: unknown, schemaUri: string | undefined): string {
  const isObject = typeof schema === "object" && schema !== null;
  return JSON.stringify(
    isObject && schemaUri !== undefined ? { $schema: schemaUri, ...schema } : schema,
  );
}

for (const { name, groups, schemaUri } of SUITES) {
  describe(`validateRows follows the ${name} suite`, () => {
    for (const group of groups) {
      if (isException(group)) continue;
      test(`${group.file}: ${group.description}`, async () => {
        const text = schemaText(group.schema, schemaUri);
        expect(await rowSchemas.checkSchema(text, CALLER)).toEqual({ kind: "valid" });
        for (const { description, data, valid } of group.tests) {
          const outcome = await rowSchemas.validateRows(text, [JSON.stringify(data)], CALLER);
          expect({ description, kind: outcome.kind }).toEqual({
            description,
            kind: valid ? "valid" : "invalid",
          });
        }
      });
    }

    test("a schema that refers to a server or a metaschema is refused", async () => {
      const refused: string[] = [];
      const accepted: string[] = [];
      for (const group of groups.filter(({ needs_remote }) => needs_remote)) {
        const { kind } = await rowSchemas.checkSchema(schemaText(group.schema, schemaUri), CALLER);
        (kind === "invalid_schema" ? refused : accepted).push(group.description);
      }
      expect(refused.length).toBeGreaterThan(4);
      // These only name the server in $id, which is no reference.
      for (const description of accepted) {
        const group = groups.find((candidate) => candidate.description === description);
        expect(JSON.stringify(group?.schema)).toContain('"$id"');
      }
    });
  });
}

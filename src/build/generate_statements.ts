/**
 * Generates `statements.ts` from `sql/`: each statement's text, parameters, and row type by name, and the lists of
 * migrations and functions. A function whose signature names its parameters and columns for the program is a statement,
 * too: its call. SQL is imported with `type: "text"`, so that the compiled executable contains it.
 *
 * Run by `bun run generate`. A test fails if the generated file is out of date.
 *
 * @module
 */
import { Glob } from "bun";

const SQL_FOLDER = Bun.fileURLToPath(new URL("../../sql/", import.meta.url));
const OUTPUT = Bun.fileURLToPath(new URL("../postgres/generated/statements.ts", import.meta.url));
/** The path from which the output imports it. */
const NUMBERED = "../client/numbered.ts";

const TYPES: Readonly<Record<string, string>> = {
  uuid: "string",
  text: "string",
  json: "string",
  jsonb: "string",
  numeric: "string",
  interval: "string",
  timestamptz: "string",
  bigint: "bigint",
  int: "number",
  double: "number",
  boolean: "boolean",
  bytea: "Uint8Array",
};

/** A parameter or column, as declared in the header: `name type`, with `?` if it may be null. */
interface DeclaredColumn {
  readonly name: string;
  /** A PostgreSQL type of the table above, followed by `[]` for an array. */
  readonly type: string;
  readonly nullable: boolean;
}

/**
 * Reads the header of a statement file: `-- name:`, `-- why:`, one line `-- :name type` per parameter, and
 * `-- returns`. @throws if the header does not have this form
 */
export function parseHeader(text: string, path: string) {
  const [header = ""] = /^(?:--.*\n)*/.exec(text) ?? [];
  const find = (word: string, pattern = ".*") => {
    const found = new RegExp(`^-- ${word} (${pattern})`, "m").exec(header)?.[1];
    if (found === undefined) throw new Error(`${path}: the header has no line "-- ${word} …"`);
    return found.trim();
  };
  const parameters = [...header.matchAll(/^-- :(.+)$/gm)].map(([, column = ""]) =>
    parseColumn(column, path),
  );
  // The columns come last, and may span several lines.
  const list = find("returns", "[^]*").replace(/\n--/g, "");
  const columns =
    list === "nothing" ? [] : list.split(",").map((column) => parseColumn(column.trim(), path));
  return { name: find("name:"), why: find("why:"), parameters, columns };
}

/** A parameter or column of a function that is a statement: `owner_id uuid, -- :account_id`. */
const NAMED = /^(?:(returns(?: setof)?)| {2}(out )?\w+) ([\w ]+?(?:\[\])?),? -- :(\w+)(\??)$/;
/** The same, but without a name for the program. */
const UNNAMED = /^(?:returns (?!table\b|void\b)| {2}\w)/;

/**
 * Reads the signature of a function as a statement that calls it. Undefined if it names nothing for the program, because
 * only SQL calls it. @throws if it names only some of its parameters and columns
 */
export function parseFunction(text: string, path: string) {
  const [, name = "", signature = ""] =
    /^create or replace function (\w+)\(\n(.*?)\nlanguage /ms.exec(text) ?? [];
  const lines = signature.split("\n");
  const returnsAt = lines.findIndex((line) => line.startsWith("returns"));
  const parameters: DeclaredColumn[] = [];
  const columns: DeclaredColumn[] = [];
  let unnamed: string | undefined;
  for (const [place, line] of lines.entries()) {
    const [, returns, out, type = "", given = "", mark = ""] = NAMED.exec(line) ?? [];
    if (given === "") {
      if (UNNAMED.test(line)) unnamed ??= line;
      continue;
    }
    const isColumn =
      out !== undefined || returns !== undefined || (returnsAt >= 0 && place > returnsAt);
    const declared = `${given} ${type.replace("double precision", "double")}${mark}`;
    (isColumn ? columns : parameters).push(parseColumn(declared, path));
  }
  if (parameters.length + columns.length === 0) return undefined;
  if (unnamed !== undefined) throw new Error(`${path}: no ":name" follows "${unnamed.trim()}"`);
  const [, why = ""] = /^-- (.*?)\.\s/s.exec(text) ?? [];
  const places = parameters.map((_, place) => `$${place + 1}`).join(", ");
  const names = columns.map((column) => column.name).join(", ");
  return {
    name,
    why: why.replace(/\n-- ?/g, " "),
    parameters,
    columns,
    call:
      columns.length === 0
        ? `select from ${name}(${places})`
        : `select * from ${name}(${places}) as called (${names})`,
  };
}

/** Whether a SQL file defines a function. Each feature keeps its functions in a folder next to its statements. */
export function isFunction(path: string): boolean {
  return path.includes("/functions/");
}

function parseColumn(text: string, path: string): DeclaredColumn {
  const match = /^(\w+) (\w+(?:\[\])?)(\?)?$/.exec(text);
  if (match === null) throw new Error(`${path}: can't read the declaration "${text}"`);
  const [, name, type, nullable] = match as unknown as [string, string, string, string?];
  if (TYPES[type.replace("[]", "")] === undefined) {
    throw new Error(`${path}: unknown type "${type}"`);
  }
  return { name, type, nullable: nullable === "?" };
}

function typescriptOf(column: DeclaredColumn): string {
  const element = TYPES[column.type.replace("[]", "")] as string;
  const base = column.type.endsWith("[]") ? `readonly (${element} | null)[]` : element;
  return column.nullable ? `${base} | null` : base;
}

/** Generates the text of `statements.ts`. */
export async function generateStatements(): Promise<string> {
  const paths = (await Array.fromAsync(new Glob("**/*.sql").scan(SQL_FOLDER))).sort();
  const migrations = paths.filter((path) => path.startsWith("migrations/"));
  const functions = paths.filter(isFunction);
  const variable = (path: string) => `sql_${path.replace(/\.sql$/, "").replace(/\W/g, "_")}`;
  const read = await Promise.all(
    paths
      .filter((path) => !migrations.includes(path))
      .map(async (path) => {
        const text = await Bun.file(SQL_FOLDER + path).text();
        if (!isFunction(path)) {
          return { ...parseHeader(text, path), text: `numbered(${variable(path)})` };
        }
        const called = parseFunction(text, path);
        return called && { ...called, text: JSON.stringify(called.call) };
      }),
  );
  const statements = read.filter((statement) => statement !== undefined);
  const stem = (path: string) => path.replace(/^.*\/|\.sql$/g, "");
  const lines = [
    "/**",
    " * Generated from `sql/` by `bun run generate`; not to be edited.",
    " *",
    " * @module",
    " */",
    ...paths.map(
      (path) => `import ${variable(path)} from "../../../sql/${path}" with { type: "text" };`,
    ),
    `import { numbered } from "${NUMBERED}";`,
    "",
    "/** Every migration, in order. */",
    "export const MIGRATIONS: readonly { readonly name: string; readonly text: string }[] = [",
    ...migrations.map((path) => `  { name: "${stem(path)}", text: ${variable(path)} },`),
    "];",
    "",
    "/** Every function, `create or replace`, applied after the migrations. */",
    "export const FUNCTIONS: readonly { readonly name: string; readonly text: string }[] = [",
    ...functions.map((path) => `  { name: "${stem(path)}", text: ${variable(path)} },`),
    "];",
    "",
    "/** The text of every statement, by name. Its parameters are numbered in the order of its header. */",
    "export const STATEMENTS = {",
    ...statements.map(({ name, text }) => `  ${name}: ${text},`),
    "} as const;",
    "",
    "/** Parameters and row of every statement. */",
    "export interface StatementTypes {",
    ...statements.flatMap((statement) => [
      `  /** ${statement.why} */`,
      `  ${statement.name}: {`,
      "    parameters: {",
      ...statement.parameters.map(
        (parameter) => `      readonly ${parameter.name}: ${typescriptOf(parameter)};`,
      ),
      "    };",
      "    row: {",
      ...statement.columns.map(
        (column) => `      readonly ${column.name}: ${typescriptOf(column)};`,
      ),
      "    };",
      "  };",
    ]),
    "}",
    "",
    "/** The parameters of every statement in the order of their numbers. */",
    "export const ARGUMENTS: {",
    "  readonly [Name in keyof StatementTypes]: (",
    '    by: StatementTypes[Name]["parameters"],',
    "  ) => readonly unknown[];",
    "} = {",
    ...statements.map(({ name, parameters }) =>
      parameters.length === 0
        ? `  ${name}: () => [],`
        : `  ${name}: (by) => [${parameters.map((parameter) => `by.${parameter.name}`).join(", ")}],`,
    ),
    "};",
    "",
  ];
  return lines.join("\n");
}

if (import.meta.main) await Bun.write(OUTPUT, await generateStatements());

/**
 * Splits plpgsql functions into statements, so that PostgreSQL can verify the names in them.
 *
 * PostgreSQL looks up the names in a plpgsql body only when it executes a statement. Without a test that reaches it, a
 * renamed parameter, column, or function would be noticed only in production. The body of an SQL function, in contrast,
 * is checked when the function is created. Therefore, each query and expression of a body is turned into an SQL
 * function, whose parameters are the function's parameters and variables.
 *
 * This parser handles our own files, not plpgsql in general. It skips dynamic SQL, and members of `record` variables,
 * which are known only at run time.
 *
 * @module
 */

/** The parameters of an SQL function: names and types. */
export type Variables = ReadonlyMap<string, string>;

export interface TakenApart {
  /** Variables of the `declare` section. */
  readonly variables: Variables;
  /** Variables of type `record`. */
  readonly records: readonly string[];
  /** Queries, and expressions in the form of queries. */
  readonly queries: readonly string[];
}

/** @param text `create function` with a body between `$$`, as in our files */
export function takeApart(text: string): TakenApart {
  const [, body = ""] = /\$\$(.*)\$\$/s.exec(text) ?? [];
  const plain = body.replace(/--.*$/gm, "").replace(/#variable_conflict \w+/, "");
  const begin = /(?:^|\s)begin\s/.exec(plain)?.index ?? 0;
  const variables = new Map<string, string>();
  const records: string[] = [];
  const queries: string[] = [];
  for (const part of split(plain.slice(0, begin).replace(/^\s*declare\s/, ""), ";")) {
    const [, name = "", type = "", , value] =
      /^(\w+)\s+(?:constant\s+)?(.*?)\s*((?::=|\bdefault\b)\s*(.*))?$/s.exec(part) ?? [];
    if (name === "") continue;
    if (type === "record") records.push(name);
    else variables.set(name, type.replace("%rowtype", ""));
    if (value !== undefined) queries.push(`select (${value})`);
  }
  for (const [, name = ""] of plain.matchAll(/\bfor\s+(\w+)\s+in\s+(?:reverse\s+)?[^;]*?\.\./g)) {
    variables.set(name, "int");
  }
  for (const part of split(plain.slice(begin).replace(/^\s*begin\s/, ""), ";")) {
    queries.push(...queriesOf(part));
  }
  return { variables, records, queries };
}

/** The queries of a statement and its conditions: `else if x then perform y` has two. */
function queriesOf(part: string): string[] {
  const text = part.trim();
  const word = /^\w+/.exec(text)?.[0] ?? "";
  const rest = text.slice(word.length).trim();
  switch (word) {
    case "":
    case "null":
    case "continue":
    case "end":
    case "execute":
    case "get":
    case "raise":
      return [];
    case "begin":
    case "else":
    case "loop":
      return queriesOf(rest);
    case "if":
    case "elsif":
    case "while": {
      const [condition = "", ...after] = split(rest, word === "while" ? "loop" : "then");
      return [`select (${condition})`, ...after.flatMap(queriesOf)];
    }
    case "for":
    case "foreach": {
      const [head = "", ...after] = split(rest, "loop");
      const source = head.replace(/^[\w, ]+?\s+in\s+(array\s+)?/, "");
      const isQuery = word === "for" && !source.includes("..") && !source.startsWith("execute");
      return [...(isQuery ? [source] : []), ...after.flatMap(queriesOf)];
    }
    case "exit": {
      const condition = /^when\s+(.*)$/s.exec(rest)?.[1];
      return condition === undefined ? [] : [`select (${condition})`];
    }
    case "case":
      return rest
        .split(/\bwhen\b.*?\bthen\b|\belse\b|\bend$/s)
        .slice(1)
        .flatMap((branch) => split(branch, ";").flatMap(queriesOf));
    case "exception":
    case "when": {
      const [, ...after] = split(rest, "then");
      return after.flatMap(queriesOf);
    }
    case "return":
      if (/^(?:|next|query\s+execute\b.*)$/s.test(rest)) return [];
      if (rest.startsWith("next ")) return [`select (${rest.slice("next ".length)})`];
      return rest.startsWith("query") ? [rest.replace(/^query\s+/, "")] : [`select (${rest})`];
    case "perform":
      return [`select ${rest}`];
    default: {
      const value = /^[\w.[\]]+\s*:=\s*(.*)$/s.exec(text)?.[1];
      return [value === undefined ? withoutTarget(text) : `select (${value})`];
    }
  }
}

/** Removes `into b` from `select a into b from c`. */
function withoutTarget(query: string): string {
  return query.replace(
    /(?<!\b(?:insert|merge)\s+)\binto\s+(?:strict\s+)?[\w.]+(?:\s*,\s*[\w.]+)*/g,
    "",
  );
}

/** Splits at a sign or word outside strings, parentheses, and `case … end`. */
function split(text: string, at: string): string[] {
  const tokens = text.matchAll(/'(?:[^']|'')*'|\w+|\S|\s+/g);
  const parts = [""];
  let depth = 0;
  let before = "";
  for (const [token] of tokens) {
    if (token === "(" || (token === "case" && before !== "end")) depth += 1;
    if (token === ")" || (token === "end" && depth > 0)) depth -= 1;
    if (token.trim() !== "") before = token;
    if (token === at && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim());
}

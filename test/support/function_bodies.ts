/**
 * Takes plpgsql functions apart, so that PostgreSQL can look at what is in them.
 *
 * PostgreSQL looks up the names in a plpgsql body only when it comes to a statement. So a parameter, a column or a
 * function that was renamed is found by a caller, unless a test comes that way. The body of an SQL function is looked
 * at when it is made. So each query and expression of a body is made an SQL function of its own, with the function's
 * parameters and variables as its parameters.
 *
 * It reads our own files, and no plpgsql at large. What it passes over: dynamic SQL, and what names a member of a
 * `record`, whose members are known only at run time.
 *
 * @module
 */

/** An SQL function's parameters: names and types. */
export type Variables = ReadonlyMap<string, string>;

export interface TakenApart {
  /** Of the `declare` section. */
  readonly variables: Variables;
  /** Variables of type `record`. */
  readonly records: readonly string[];
  /** Queries, and expressions as queries. */
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

/** Of a statement with all that leads to it: `else if x then perform y` has two. */
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

/** `select a into b from c` without `into b`. */
function withoutTarget(query: string): string {
  return query.replace(
    /(?<!\b(?:insert|merge)\s+)\binto\s+(?:strict\s+)?[\w.]+(?:\s*,\s*[\w.]+)*/g,
    "",
  );
}

/** Splits at a sign or a word that is in no string, no parenthesis and no `case … end`. */
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

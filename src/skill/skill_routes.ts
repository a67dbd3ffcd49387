/**
 * `GET /public/feeds/{id}/agent-skill` and the index of all skills; neither needs a key.
 * Interface 4.5, decisions 10.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { feedNotFound } from "../admission/refusal.ts";
import { referenceParameters } from "../feed_row/feeds.ts";
import type { Answer } from "../http/answer.ts";
import { type Call, createEndpoint, handlerOf } from "../http/endpoint.ts";
import { matchesTag } from "../http/etag.ts";
import { nextLink, walkSearchOf } from "../http/next_link.ts";
import { cappedLimit, limitParameter } from "../http/paging.ts";
import { documentedParameters, readParameters } from "../http/parameters.ts";
import { assert } from "../lib/assert.ts";
import { PAGE_LIMIT_MAX } from "../limits.ts";
import type { Services } from "../services.ts";
import { type SkillFile, type SkillFormat, Skills } from "./skills.ts";

const SKILL_PARAMETERS = Type.Object({
  format: Type.Optional(
    Type.Union([Type.Literal("zip"), Type.Literal("tar.gz")], {
      description: "A folder with schema and sample beside SKILL.md; left out, SKILL.md alone.",
    }),
  ),
});
const INDEX_PARAMETERS = Type.Object({
  // Clients that know of no pages read the first one only, so it is as long as may be.
  limit: limitParameter("Skills", PAGE_LIMIT_MAX),
  offset: Type.Integer({ minimum: 0, default: 0, description: "Skills to skip." }),
});
const TYPES: Readonly<Record<SkillFormat, string>> = {
  md: "text/markdown; charset=utf-8",
  zip: "application/zip",
  "tar.gz": "application/gzip",
};

export function skillRoutes(services: Services) {
  const { config, database, http } = services;
  const skills = new Skills(database, () => ({
    baseUrl: http.baseUrl(),
    billingUrl: services.billingUrl(),
    limits: config.limits,
  }));

  async function download(call: Call, reference: string): Promise<Answer> {
    const version = await database.row("find_skill_version", referenceParameters(reference));
    if (version === undefined) throw feedNotFound();
    const { format = "md" } = readParameters(SKILL_PARAMETERS, call.search);
    const file = await skills.file(version, format);
    if (file === undefined) throw feedNotFound();
    const filename = format === "md" ? "SKILL.md" : `${file.name}.${format}`;
    return answer(call, file, {
      "Content-Type": TYPES[format],
      "Content-Disposition": `attachment; filename="${filename}"`,
    });
  }

  async function index(call: Call): Promise<Answer> {
    const { offset, ...asked } = readParameters(INDEX_PARAMETERS, call.search);
    const limit = cappedLimit(asked.limit);
    const row = await database.row("list_skill_versions", [limit, BigInt(offset)]);
    assert(row !== undefined, "list_skill_versions returns one row");
    const page = await skills.page(row.versions);
    const next = {
      requestUrl: call.request.url,
      baseUrl: http.baseUrl(),
      walkSearch: walkSearchOf(call.search),
    };
    return answer(call, page, {
      "Content-Type": "application/json",
      ...(row.has_more && { Link: nextLink(next, offset + limit, "offset") }),
    });
  }

  const skillEndpoint = createEndpoint(
    http,
    { route: "/public/feeds/{id}/agent-skill", isKeyed: false },
    services.anonymously(download),
  );
  const indexEndpoint = createEndpoint(
    http,
    { route: "/.well-known/agent-skills/index.json", isKeyed: false },
    services.anonymously(index),
  );
  return new Elysia({ name: "skill" })
    .get("/public/feeds/:id/agent-skill", handlerOf(skillEndpoint, "id"), {
      detail: { parameters: documentedParameters(SKILL_PARAMETERS) },
    })
    .get("/.well-known/agent-skills/index.json", handlerOf(indexEndpoint), {
      detail: { parameters: documentedParameters(INDEX_PARAMETERS) },
    });
}

function answer(call: Call, { tag, body }: SkillFile, headers: Record<string, string>): Answer {
  const shared = { ETag: tag, "Cache-Control": "public, max-age=300" };
  if (matchesTag(call.request.headers.get("if-none-match"), tag)) {
    return { status: 304, headers: shared, body: null };
  }
  return { headers: { ...shared, ...headers, "X-Content-Type-Options": "nosniff" }, body };
}

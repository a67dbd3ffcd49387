/**
 * `GET /public/feeds/{id}/agent-skill` and the index of all skills. Neither needs a key.
 *
 * @module
 */

import { Kind, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { anonymous } from "../api/callers/without_key.ts";
import { cappedLimit, limitParameter } from "../api/input/paging.ts";
import { NO_PARAMETERS, parameters, queryInteger } from "../api/input/parameters.ts";
import { feedNotFound } from "../api/problems/call_refusals.ts";
import {
  CONDITIONAL,
  COUNTED,
  described,
  documented,
  FEED_PARAMS,
  UNCHANGED,
} from "../api/reference/described.ts";
import { FEED_ID } from "../api/reference/examples.ts";
import { referenceParameters } from "../feeds/find.ts";
import type { Answer } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { nextLink } from "../http/next_link.ts";
import { respond } from "../http/respond.ts";
import { answerShared } from "../http/shared_content.ts";
import { assert } from "../lib/assert.ts";
import { oneOf } from "../lib/typebox.ts";
import { PAGE_LIMIT_MAX } from "../limits.ts";
import type { Services } from "../services.ts";
import { GATEWAY_SKILL_PATH } from "./gateway_skill.ts";
import { type SkillFormat, Skills } from "./skills.ts";

const SKILL_QUERY = parameters({
  format: Type.Optional(
    oneOf(["zip", "tar.gz"], {
      description: "A folder with SKILL.md, schema and sample. Default: only SKILL.md.",
    }),
  ),
});
const SkillIndexShape = Type.Object(
  {
    $schema: Type.String({ format: "uri", description: "The schema of this index." }),
    skills: Type.Array(
      Type.Object({
        name: Type.String({
          pattern: "^[a-z0-9]+(?:-[a-z0-9]+)*$",
          maxLength: 64,
          description: "As in its SKILL.md.",
        }),
        type: Type.Literal("skill-md", { description: "One file." }),
        description: Type.String({
          minLength: 1,
          maxLength: 1_024,
          description: "What the skill is for.",
        }),
        url: Type.String({ format: "uri", description: "Where the file is." }),
        digest: Type.String({
          pattern: "^sha256:[0-9a-f]{64}$",
          description: "SHA-256 of the file at `url`.",
        }),
      }),
      { description: "The gateway's own, then those of feeds, most recently published first." },
    ),
  },
  { $id: "SkillIndex", description: "Skills that an agent can load." },
);
const INDEX_QUERY = parameters({
  // Clients that don't support paging read only the first page, so it is as long as possible.
  limit: limitParameter("Skills", PAGE_LIMIT_MAX),
  offset: Type.Optional(queryInteger({ minimum: 0, description: "Skills to skip. Default 0." })),
});
const CACHE_CONTROL = "public, max-age=300";
const TYPES: Readonly<Record<SkillFormat, string>> = {
  md: "text/markdown; charset=utf-8",
  zip: "application/zip",
  "tar.gz": "application/gzip",
};

const FILE = Type.Unsafe<Blob>({
  [Kind]: "Unknown",
  type: "string",
  contentEncoding: "binary",
});
const DOWNLOAD_SKILL = described({
  access: "public",
  window: "anonymous",
  operationId: "downloadAgentSkill",
  tag: "skills",
  summary: "Download a feed's agent skill",
  description:
    "Instructions for agents to read this feed: a SKILL.md, or a folder that also contains the schema and a sample. Available for active public feeds.",
  answers: {
    200: documented(Type.String(), {
      description: "The skill.",
      headers: ["ETag", "Cache-Control", "Content-Disposition"],
      mediaTypes: {
        "text/markdown": {
          example: `---\nname: feed-quakes\ndescription: "Read the feed …"\nmetadata:\n  feed-id: "${FEED_ID}"\n---\n`,
        },
        "application/zip": { schema: FILE },
        "application/gzip": { schema: FILE },
      },
    }),
    304: UNCHANGED,
  },
  headers: CONDITIONAL,
  problems: ["FEED_NOT_FOUND", ...COUNTED],
});
const LIST_SKILLS = described({
  access: "public",
  window: "anonymous",
  operationId: "listAgentSkills",
  tag: "skills",
  summary: "List the agent skills of all public feeds",
  description:
    'Agent Skills discovery, version 0.2.0, with a digest of each SKILL.md; first the gateway, then feeds, newest published first. `Link` with `rel="next"` leads to the next page.',
  answers: {
    200: documented(SkillIndexShape, {
      description: "The index.",
      headers: ["ETag", "Cache-Control"],
      headersOptional: ["Link"],
      examples: {
        "One skill": {
          $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
          skills: [
            {
              name: "feed-quakes",
              type: "skill-md",
              description: "Read the feed quakes over HTTP.",
              url: `https://feeds.example.org/public/feeds/${FEED_ID}/agent-skill`,
              digest: `sha256:${"0123456789abcdef".repeat(4)}`,
            },
          ],
        },
      },
    }),
    304: UNCHANGED,
  },
  headers: CONDITIONAL,
  problems: COUNTED,
});

export function skillRoutes(services: Services) {
  const { config, database, http } = services;
  const skills = new Skills(database, () => ({
    baseUrl: http.baseUrl(),
    billingUrl: services.billingUrl(),
    payingWays: services.payingWays,
    limits: config.limits,
  }));

  async function download(call: Call, reference: string, format: SkillFormat): Promise<Answer> {
    const version = await database.row("find_skill_version", referenceParameters(reference));
    if (version === undefined) throw feedNotFound();
    const file = await skills.file(version, format);
    if (file === undefined) throw feedNotFound();
    const filename = format === "md" ? "SKILL.md" : `${file.name}.${format}`;
    return answerShared(call.request, file, {
      "Cache-Control": CACHE_CONTROL,
      "Content-Type": TYPES[format],
      "Content-Disposition": `attachment; filename="${filename}"`,
    });
  }

  async function index(
    call: Call,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<Answer> {
    // The gateway's own skill is the first entry, before those of feeds.
    const isFirst = offset === 0;
    const feeds = isFirst ? limit - 1 : limit;
    const skipped = BigInt(Math.max(0, offset - 1));
    const row = await database.row("list_skill_versions", { limit: feeds, offset: skipped });
    assert(row !== undefined, "list_skill_versions returns one row");
    const page = await skills.page(row.versions, isFirst);
    const next = { requestUrl: call.request.url, baseUrl: http.baseUrl() };
    return answerShared(call.request, page, {
      "Cache-Control": CACHE_CONTROL,
      "Content-Type": "application/json",
      ...(row.has_more && { Link: nextLink(next, offset + limit, "offset") }),
    });
  }

  return new Elysia({ name: "skill" })
    .use(anonymous(services))
    .get(
      "/public/feeds/:id/agent-skill",
      async ({ call, params, query }) =>
        respond(await download(call, params.id, query.format ?? "md")),
      { params: FEED_PARAMS, query: SKILL_QUERY, ...DOWNLOAD_SKILL },
    )
    .get(
      GATEWAY_SKILL_PATH,
      async ({ call }) =>
        respond(
          answerShared(call.request, await skills.gatewayFile(), {
            "Cache-Control": CACHE_CONTROL,
            "Content-Type": TYPES.md,
          }),
        ),
      { query: NO_PARAMETERS, detail: { hide: true } },
    )
    .get(
      "/.well-known/agent-skills/index.json",
      async ({ call, query }) => {
        const { limit = PAGE_LIMIT_MAX, offset = 0 } = query;
        return respond(await index(call, { limit: cappedLimit(limit), offset }));
      },
      { query: INDEX_QUERY, ...LIST_SKILLS },
    );
}

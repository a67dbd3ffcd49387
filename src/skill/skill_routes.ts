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
import { matchesTag, weakTag } from "../http/etag.ts";
import { documentedParameters, NO_PARAMETERS, readParameters } from "../http/parameters.ts";
import { BoundedMap } from "../lib/bounded_map.ts";
import type { Services } from "../services.ts";
import { packSkill, type SkillFormat } from "./pack_skill.ts";
import { renderSkill, type Skill, type SkillContext } from "./render_skill.ts";
import { createSkillIndex } from "./skill_index.ts";

const SKILL_PARAMETERS = Type.Object({
  format: Type.Optional(
    Type.Union([Type.Literal("zip"), Type.Literal("tar.gz")], {
      description: "A folder with schema and sample beside SKILL.md; left out, SKILL.md alone.",
    }),
  ),
});

/** Archives that are kept, and the bytes of the largest. */
const ARCHIVES_MAX = 32;
const ARCHIVE_KEPT_BYTES_MAX = 512 * 1_024;
const CACHE_CONTROL = "public, max-age=300";
const ARCHIVE_TYPES: Readonly<Record<SkillFormat, string>> = {
  zip: "application/zip",
  "tar.gz": "application/gzip",
};

export function skillRoutes(services: Services) {
  const { config, database, http } = services;
  const context = (): SkillContext => ({
    baseUrl: http.baseUrl(),
    billingUrl: services.billingUrl(),
    limits: config.limits,
  });
  const writeIndex = createSkillIndex({ database, context });
  const archives = new BoundedMap<string, Uint8Array<ArrayBuffer>>(ARCHIVES_MAX);

  async function download(call: Call, reference: string): Promise<Answer> {
    const row = await database.row("find_feed_row", referenceParameters(reference));
    if (row === undefined || row.status !== "active" || !row.is_public) throw feedNotFound();
    const { format } = readParameters(SKILL_PARAMETERS, call.search);
    const skill = renderSkill(row, context());
    const tag = tagOf(skill, format);
    return revalidated(call, tag, {
      "Content-Type": format === undefined ? "text/markdown; charset=utf-8" : ARCHIVE_TYPES[format],
      "Content-Disposition": `attachment; filename="${format === undefined ? "SKILL.md" : `${skill.name}.${format}`}"`,
    })(() => (format === undefined ? skill.markdown : pack(skill, { format, tag })));
  }

  /** Nobody needs a key for it, and packing holds up all others: so once for the same content. */
  async function pack(
    skill: Skill,
    { format, tag }: { readonly format: SkillFormat; readonly tag: string },
  ): Promise<Uint8Array<ArrayBuffer>> {
    const known = archives.get(tag);
    if (known !== undefined) return known;
    const archive = await packSkill(skill, format);
    if (archive.length <= ARCHIVE_KEPT_BYTES_MAX) archives.set(tag, archive);
    return archive;
  }

  async function index(call: Call): Promise<Answer> {
    readParameters(NO_PARAMETERS, call.search);
    const text = await writeIndex();
    return revalidated(call, weakTag(text), { "Content-Type": "application/json" })(() => text);
  }

  const skillEndpoint = createEndpoint(
    http,
    { route: "/public/feeds/{id}/agent-skill", isKeyed: false },
    download,
  );
  const indexEndpoint = createEndpoint(
    http,
    { route: "/.well-known/agent-skills/index.json", isKeyed: false },
    index,
  );
  return new Elysia({ name: "skill" })
    .get("/public/feeds/:id/agent-skill", handlerOf(skillEndpoint, "id"), {
      detail: {
        parameters: documentedParameters(SKILL_PARAMETERS),
      },
    })
    .get("/.well-known/agent-skills/index.json", handlerOf(indexEndpoint));
}

/** An archive's tag is of what it holds: its bytes tell when it was made. */
function tagOf(skill: Skill, format: SkillFormat | undefined): string {
  const { markdown, schema, sample } = skill;
  return weakTag(
    format === undefined ? markdown : JSON.stringify([format, markdown, schema, sample]),
  );
}

/** 304, or the body, which is made only where it is sent, and for the length that HEAD tells. */
function revalidated(call: Call, tag: string, headers: Readonly<Record<string, string>>) {
  return async (makeBody: () => string | Promise<Uint8Array<ArrayBuffer>>): Promise<Answer> => {
    const shared = { ETag: tag, "Cache-Control": CACHE_CONTROL };
    if (matchesTag(call.request.headers.get("if-none-match"), tag)) {
      return { status: 304, headers: shared, body: null };
    }
    return {
      headers: { ...shared, ...headers, "X-Content-Type-Options": "nosniff" },
      body: await makeBody(),
    };
  };
}

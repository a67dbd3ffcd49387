/**
 * The operations that need no key. Interface 4.5, decisions 1 and 10.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { IF_NONE_MATCH } from "./consumer_operations.ts";
import { FEED_ID } from "./examples.ts";
import { type OperationDoc, SERVER_PROBLEMS } from "./operation.ts";

const FILE = Type.Unsafe({ type: "string", contentEncoding: "binary" });
const SKILL_HEADERS = ["ETag", "Cache-Control", "Content-Disposition"] as const;
const UNCHANGED = {
  description: "Nothing has changed since the ETag was sent.",
  headers: ["ETag", "Cache-Control"],
} as const;

export const PUBLIC_OPERATIONS: readonly OperationDoc[] = [
  {
    operationId: "downloadAgentSkill",
    method: "get",
    path: "/public/feeds/{id}/agent-skill",
    access: "public",
    tag: "skills",
    summary: "Download a feed's agent skill",
    description:
      "How to read this feed, for an agent framework: one SKILL.md, or a folder with the schema and a sample beside it. There for active public feeds.",
    parameters: [
      {
        name: "id",
        in: "path",
        description: "The feed's UUID or its `endpoint_path`.",
        schema: Type.String({ minLength: 1 }),
      },
      IF_NONE_MATCH,
    ],
    answers: {
      200: {
        description: "The skill.",
        headers: SKILL_HEADERS,
        content: {
          "text/markdown": {
            schema: Type.String(),
            example: `---\nname: feed-quakes\ndescription: "Read the feed …"\nmetadata:\n  feed-id: "${FEED_ID}"\n---\n`,
          },
          "application/zip": { schema: FILE },
          "application/gzip": { schema: FILE },
        },
      },
      304: UNCHANGED,
    },
    problems: ["INVALID_PARAMETER", "FEED_NOT_FOUND", ...SERVER_PROBLEMS],
  },
  {
    operationId: "listAgentSkills",
    method: "get",
    path: "/.well-known/agent-skills/index.json",
    access: "public",
    tag: "skills",
    summary: "List the agent skills of all public feeds",
    description:
      'Agent Skills discovery, version 0.2.0, with a digest of each SKILL.md; newest published first. `Link` with `rel="next"` leads to the next page.',
    parameters: [IF_NONE_MATCH],
    answers: {
      200: {
        description: "The index.",
        headers: ["ETag", "Cache-Control"],
        headersOptional: ["Link"],
        content: {
          "application/json": {
            schema: "SkillIndex",
            example: {
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
        },
      },
      304: UNCHANGED,
    },
    problems: ["INVALID_PARAMETER", ...SERVER_PROBLEMS],
  },
  {
    operationId: "healthz",
    method: "get",
    path: "/healthz",
    access: "public",
    tag: "operations",
    summary: "Whether the process lives",
    description: "For a supervisor; asks nothing of the database.",
    answers: {
      200: {
        description: "It lives.",
        headersOptional: ["Cache-Control"],
        content: { "application/json": { schema: "Health", example: { status: "ok" } } },
      },
    },
    problems: ["INVALID_PARAMETER", "INTERNAL"],
  },
  {
    operationId: "readyz",
    method: "get",
    path: "/readyz",
    access: "public",
    tag: "operations",
    summary: "Whether the gateway can serve",
    description: "For a load balancer: 503 without its database and while draining.",
    answers: {
      200: {
        description: "It can serve.",
        headersOptional: ["Cache-Control"],
        content: { "application/json": { schema: "Health", example: { status: "ready" } } },
      },
    },
    problems: ["INVALID_PARAMETER", "INTERNAL", "UNAVAILABLE"],
  },
  {
    operationId: "metrics",
    method: "get",
    path: "/metrics",
    access: "public",
    tag: "operations",
    summary: "Counters and timings in Prometheus' text format",
    description: "Names no account and no feed.",
    answers: {
      200: {
        description: "The metrics of this process.",
        headersOptional: ["Cache-Control"],
        content: { "text/plain": { schema: Type.String() } },
      },
    },
    problems: ["INVALID_PARAMETER", "INTERNAL"],
  },
];

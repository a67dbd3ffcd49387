/**
 * `DELETE /v1/account/agents/{key_id}`: ends a connected agent. The call is not charged or logged.
 *
 * See `src/spec/beyond.md`, section 14.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import { actorOf } from "../../api/callers/faces.ts";
import { NO_PARAMETERS } from "../../api/input/parameters.ts";
import { described, documented } from "../../api/reference/described.ts";
import { AGENT_KEY_ID } from "../../api/reference/examples.ts";
import { endOwnAgent } from "../../consumer/end_agent.ts";
import { respondEmpty } from "../../http/respond.ts";
import type { Services } from "../../services.ts";

const AGENT_PARAMS = Type.Object({
  key_id: Type.String({
    description: "The agent's key, as `GET /v1/account` lists it.",
    examples: [AGENT_KEY_ID],
  }),
});
const END_AGENT = described({
  access: "consumer",
  operationId: "endAgent",
  tag: "account",
  summary: "Disconnect an agent",
  description:
    "Revokes the key of an agent that was connected through OAuth, effective from its next call. Disconnecting an agent again also returns 204. An agent can disconnect only itself. Neither charged, logged nor counted.",
  answers: {
    204: documented(Type.Void(), {
      description: "The agent is disconnected.",
      headers: ["Cache-Control"],
    }),
  },
  problems: ["KEY_NOT_FOUND", "UNAVAILABLE"],
});

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function agentRoutes(services: Services) {
  const { keys, database } = services;
  return new Elysia({ name: "agents" }).use(authenticated(keys, "read")).delete(
    "/account/agents/:key_id",
    async ({ call, principal, params }) => {
      // Not counted: an agent that has used up the limit must not be able to prevent its own end.
      await keys.prove(principal);
      const actor = actorOf(call.request, principal.keyId);
      await endOwnAgent(database, { principal, keyId: params.key_id }, actor);
      return respondEmpty();
    },
    { params: AGENT_PARAMS, query: NO_PARAMETERS, ...END_AGENT },
  );
}

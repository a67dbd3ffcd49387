/**
 * The guides, which are served beside the reference at `/docs/guides/{name}`.
 *
 * @module
 */
import { keysOf } from "../lib/records.ts";
import agents from "./guides/agents.md" with { type: "text" };
import architecture from "./guides/architecture.md" with { type: "text" };
import connect from "./guides/connect.md" with { type: "text" };
import deploy from "./guides/deploy.md" with { type: "text" };
import guarantees from "./guides/guarantees.md" with { type: "text" };
import operators from "./guides/operators.md" with { type: "text" };
import performance from "./guides/performance.md" with { type: "text" };
import providers from "./guides/providers.md" with { type: "text" };

/** Markdown by name, in the order of the menu. */
export const GUIDES = {
  agents,
  connect,
  providers,
  operators,
  deploy,
  guarantees,
  performance,
  architecture,
};

export type GuideName = keyof typeof GUIDES;
export const GUIDE_NAMES = keysOf(GUIDES);

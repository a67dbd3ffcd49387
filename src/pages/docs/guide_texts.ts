/**
 * The guides, which are served next to the reference at `/docs/guides/{name}`. In the repository, they contain the
 * address of a first start, or `https://your-gateway` where it must be public, and the command `feedgate`. A gateway
 * inserts its own address, and the command as it works on its machine.
 *
 * @module
 */

import agents from "../../docs/guides/agents.md" with { type: "text" };
import architecture from "../../docs/guides/architecture.md" with { type: "text" };
import clients from "../../docs/guides/clients.md" with { type: "text" };
import connect from "../../docs/guides/connect.md" with { type: "text" };
import consoleGuide from "../../docs/guides/console.md" with { type: "text" };
import deploy from "../../docs/guides/deploy.md" with { type: "text" };
import grow from "../../docs/guides/grow.md" with { type: "text" };
import guarantees from "../../docs/guides/guarantees.md" with { type: "text" };
import install from "../../docs/guides/install.md" with { type: "text" };
import notices from "../../docs/guides/notices.md" with { type: "text" };
import operators from "../../docs/guides/operators.md" with { type: "text" };
import people from "../../docs/guides/people.md" with { type: "text" };
import performance from "../../docs/guides/performance.md" with { type: "text" };
import providers from "../../docs/guides/providers.md" with { type: "text" };
import upgrade from "../../docs/guides/upgrade.md" with { type: "text" };
import { keysOf } from "../../lib/records.ts";

/** Markdown by name, in the order of the menu. */
export const GUIDES = {
  agents,
  connect,
  providers,
  clients,
  notices,
  operators,
  people,
  console: consoleGuide,
  install,
  upgrade,
  deploy,
  grow,
  guarantees,
  performance,
  architecture,
};

export type GuideName = keyof typeof GUIDES;
export const GUIDE_NAMES = keysOf(GUIDES);

/** What each guide is about, for their index. */
export const GUIDE_TOPICS: Readonly<Record<GuideName, string>> = {
  agents: "Read feeds: search, pages, filters, streams, limits, credits.",
  connect: "Use feeds from MCP clients, such as Claude and ChatGPT, and from your own code.",
  providers: "Publish a feed: rows, batches, schema, price.",
  clients: "The command-line tool and the TypeScript library: read, follow, buy, push.",
  notices: "Webhooks and mail for new data, low balances, late feeds and reviews.",
  operators: "Run a gateway: accounts, keys, credits, review, settings, backup.",
  people: "Let people sign up and sign in: mail, OpenID Connect, members, limits.",
  console: "The web interface for operators, providers and consumers.",
  install: "Install a release: script, Debian package, container image, client library.",
  upgrade: "Install a newer version, roll back, and what versions and deprecations promise.",
  deploy: "Set up a gateway: systemd, Docker, TLS, replicas, several machines.",
  grow: "When to add processes, machines, replicas and standbys, and the benefit of each.",
  guarantees: "What is guaranteed, and the tests that prove it.",
  performance: "Benchmarks, and how they were run.",
  architecture: "The design, the source tree, and the packages it uses.",
};

/** In menus. */
export function titleOf(name: GuideName): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Where a guide is read. */
export interface GuidePlace {
  /** Public address without a trailing slash. */
  readonly baseUrl: string;
  /** What operators type for `feedgate`. */
  readonly command: string;
}

/** Clients call it in the guides. A proxy goes to it wherever clients are. */
const EXAMPLE_ADDRESS = /(?<!proxy_pass )http:\/\/127\.0\.0\.1:3000\b|https:\/\/your-gateway\b/g;
/** At the beginning of a line to paste, or of code within a sentence. */
const EXAMPLE_COMMAND = /(^|^\$ |`)feedgate (?=[a-z]+[ `\n])/gm;

/** A guide's Markdown, as it holds for this gateway. */
export function guideText(name: GuideName, { baseUrl, command }: GuidePlace): string {
  return GUIDES[name]
    .replace(EXAMPLE_ADDRESS, () => baseUrl)
    .replace(EXAMPLE_COMMAND, (_, before: string) => `${before}${command} `);
}

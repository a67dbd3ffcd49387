/**
 * OAuth for agents: metadata, registration, the consent page, and tokens.
 *
 * The token is a read key. Except for the challenge of `/mcp/connect`, all OAuth code is in this folder. See
 * `src/spec/beyond.md`, section 14.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Actor } from "../accounts/actor.ts";
import { createNetworkLimit } from "../api/callers/network_limit.ts";
import type { Peer } from "../api/callers/operators_listener.ts";
import { problemOf } from "../api/problems/problems.ts";
import { callPlugin } from "../http/call.ts";
import { Problem, retryAfterOf } from "../http/problem_details.ts";
import { urlOf } from "../http/query_string.ts";
import { bodyTextOf, mediaTypeOf, receiveBody } from "../http/read_body.ts";
import { readForm } from "../http/read_form.ts";
import { respond } from "../http/respond.ts";
import { listedPage } from "../lib/offset_page.ts";
import { openToken, sealToken } from "../lib/sealed_token.ts";
import {
  CONNECT_BODY_BYTES_MAX,
  CONSENT_FEEDS_MAX,
  CONSENT_MS_MAX,
  REGISTRATIONS_LIMIT,
  REGISTRATIONS_OF_NETWORK_LIMIT,
} from "../limits.ts";

import { findKey } from "../operator/references.ts";
import { PRIVATE_PAGE_HEADERS, privatePageHeaders } from "../pages/layout/page_headers.ts";
import { priceText } from "../pages/layout/price_text.ts";
import { GATEWAY } from "../postgres/client/database.ts";
import type { Services } from "../services.ts";
import {
  type AuthorizationRequest,
  answerAddress,
  readAuthorizationRequest,
} from "./authorization_request.ts";
import { Clients } from "./clients.ts";
import { agree, redeem } from "./codes.ts";
import { type ConsentFields, fieldsOf, proposedFields, readConsent } from "./consent_form.ts";
import {
  type ListedFeed,
  type Payer,
  renderConsent,
  renderMistake,
  renderRefusal,
  renderReload,
} from "./consent_pages.tsx";
import {
  AUTHORIZE_PATH,
  REGISTER_PATH,
  RESOURCE_METADATA_PATH,
  resourceMetadata,
  resourceOf,
  SERVER_METADATA_PATH,
  serverMetadata,
  TOKEN_PATH,
} from "./metadata.ts";
import { NO_STORE, OAuthError, oauthErrorAnswer } from "./oauth_error.ts";
import { connectReach, requireOwnMachine } from "./reach.ts";
import { registerClient } from "./register_client.ts";

/** A user who is signed in to the console. */
export interface Visitor {
  /** Identifies the session without revealing it. */
  readonly sessionMark: string;
  readonly actor: Actor;
  /** Whether the user has signed in with an address. If not, with a key. */
  readonly isPerson: boolean;
  /** `isOwnKey`: whether the key was created for the session, in which case its expiry does not limit the consents. */
  readonly key: { readonly keyId: string; readonly isOwnKey: boolean } | undefined;
  /** The accounts that the user may let pay, the session's first. */
  readonly payers: readonly Payer[];
}

/** The parts of the console's sign-in that are needed to connect an agent. */
export interface Visitors {
  find(request: Request): Promise<Visitor | undefined>;
  /** The address of a sign-in page that then continues to a path of this gateway. */
  signInAddress(path: string): string;
}

/** A query parameter that marks a page reloaded from this site. */
const RELOADED = "reloaded";
const METADATA_HEADERS = { "Cache-Control": "public, max-age=300" };

export function connectRoutes(services: Services, visitors: Visitors) {
  const routes = new Elysia({ name: "connect" });
  const { config, http, database, anonymousLimit, strangersBodies, operatorsListener } = services;
  const addressOf = (request: Request, server: Peer | null) =>
    operatorsListener.addressOf(request, server);
  const reach = connectReach(config);
  if (reach === "nobody") return routes;
  const clients = new Clients({
    database,
    isFetching: config.isConnectFetching,
    trial: config.connectTrial,
  });
  const registrationLimit = createNetworkLimit({
    limit: REGISTRATIONS_LIMIT,
    networkLimit: REGISTRATIONS_OF_NETWORK_LIMIT,
    of: "registrations",
  });
  const consents = consentPages(services, visitors, clients);
  // OAuth requires that unknown parameters are ignored. RFC 6749, 3.1.
  const query = Type.Object({}, { additionalProperties: true });
  const hidden = { detail: { hide: true }, query };
  const unparsed = { ...hidden, parse: "none" } as const;
  const admit = (request: Request, server: Peer | null) => {
    if (reach === "own_machine") requireOwnMachine(request, addressOf(request, server));
    anonymousLimit(addressOf(request, server));
  };

  routes
    .use(callPlugin())
    .get(
      RESOURCE_METADATA_PATH,
      ({ request, server }) => {
        admit(request, server);
        return Response.json(resourceMetadata(http.baseUrl()), { headers: METADATA_HEADERS });
      },
      hidden,
    )
    .get(
      SERVER_METADATA_PATH,
      ({ request, server }) => {
        admit(request, server);
        const { isConnectFetching: isFetching } = config;
        const metadata = serverMetadata(http.baseUrl(), { isFetching });
        return Response.json(metadata, { headers: METADATA_HEADERS });
      },
      hidden,
    )
    .get(
      AUTHORIZE_PATH,
      ({ request, server }) => {
        admit(request, server);
        return consents.show(request);
      },
      hidden,
    )
    .post(
      AUTHORIZE_PATH,
      ({ request, server }) => {
        admit(request, server);
        return strangersBodies.whileHeld(request, server, async (hold) => {
          const form = await readForm(request, { bytesMax: CONNECT_BODY_BYTES_MAX, hold });
          return consents.decide(request, form);
        });
      },
      unparsed,
    )
    .post(
      TOKEN_PATH,
      ({ request, server }) => {
        admit(request, server);
        return answerProgram(200, () =>
          strangersBodies.whileHeld(request, server, async (hold) => {
            const form = await readForm(request, { bytesMax: CONNECT_BODY_BYTES_MAX, hold });
            return redeem(database, form, resourceOf(http.baseUrl()));
          }),
        );
      },
      unparsed,
    )
    .post(
      REGISTER_PATH,
      ({ request, server }) => {
        admit(request, server);
        return answerProgram(201, async () => {
          registrationLimit(addressOf(request, server));
          const body = await strangersBodies.whileHeld(request, server, async (hold) => {
            const mediaType = mediaTypeOf(request, ["json"]);
            if (mediaType instanceof Problem) throw mediaType;
            const bytesMax = CONNECT_BODY_BYTES_MAX;
            return bodyTextOf(await receiveBody(request, { bytesMax, tooLarge, hold }));
          });
          return registerClient(database, parseMetadata(body));
        });
      },
      unparsed,
    );
  return routes;
}

const PROGRAM_HEADERS = { "Content-Type": "application/json", ...NO_STORE };

/** Runs an endpoint for programs. Errors of the program are answered in OAuth's format. */
async function answerProgram(status: number, work: () => Promise<object>): Promise<Response> {
  try {
    return respond({ status, headers: PROGRAM_HEADERS, body: JSON.stringify(await work()) });
  } catch (error) {
    if (error instanceof OAuthError) return respond(oauthErrorAnswer(error));
    const problem = problemOf(error);
    const { status: failed, options } = problem;
    if (failed >= 500) throw error;
    const code = failed === 429 ? "temporarily_unavailable" : "invalid_request";
    const headers = { ...options.headers, ...retryAfterOf(problem) };
    const refused = new OAuthError(code, problem.detailIn(), failed, headers);
    return respond(oauthErrorAnswer(refused));
  }
}

function parseMetadata(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OAuthError("invalid_client_metadata", "The registration is not JSON.");
  }
}

function tooLarge(): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `The body is limited to ${CONNECT_BODY_BYTES_MAX} bytes. Send a smaller one.`,
    headers: { Connection: "close" },
  });
}

/** The consent page, and the route of its form. */
function consentPages(services: Services, visitors: Visitors, clients: Clients) {
  const { config, http, database, reader, feeds, cursorSecret } = services;

  /** The account that pays, or a page that says why none can. `chosen` is the id of one. */
  async function consumerOf({ key, isPerson, payers }: Visitor, chosen?: string | null) {
    const payer = payers.find(({ id }) => id === chosen) ?? payers[0];
    if (payer === undefined) {
      return refusalPage(
        403,
        isPerson
          ? "You don't own an account that can pay. Ask an owner of the account to connect the agent, or to make you an owner."
          : "You are signed in as a provider or an operator. Sign out in the console, sign in with a read key of the account that will pay, and start again in the program.",
      );
    }
    if (key === undefined) return { payer, endsBefore: undefined };
    const {
      daily_nanos: daily,
      feed_ids: feedIds,
      expires_at: end,
    } = await findKey(database, key.keyId);
    if (daily !== null || feedIds !== null) {
      // Otherwise an agent could give itself a second budget.
      return refusalPage(
        403,
        "The key that you signed in with has its own limits, so it can't connect an agent. Sign in with a key without limits.",
      );
    }
    return { payer, endsBefore: key.isOwnKey ? undefined : (end ?? undefined) };
  }

  async function readRequest(request: Request, accountId: string) {
    const baseUrl = http.baseUrl();
    const query = urlOf(request).searchParams;
    query.delete(RELOADED);
    const around = { clients, accountId, issuer: baseUrl, resource: resourceOf(baseUrl) };
    const read = await readAuthorizationRequest(query, around);
    switch (read.kind) {
      case "request":
        return read.request;
      case "unanswerable":
        return refusalPage(400, read.reason);
      default:
        return page(400, renderMistake(read.reason, read.client, read.address));
    }
  }

  function tokenOptions(request: Request, visitor: Visitor) {
    const binding = `${visitor.sessionMark} ${queryOf(request)}`;
    return { secret: cursorSecret, purpose: "consent", binding };
  }

  async function showConsent(
    request: Request,
    asked: AuthorizationRequest,
    view: {
      readonly visitor: Visitor;
      readonly payer: Payer;
      readonly endsBefore: string | undefined;
      readonly fields: ConsentFields;
      readonly mistakes?: readonly string[];
    },
  ): Promise<Response> {
    const { client, redirectAddress } = asked;
    const { visitor, payer, endsBefore, fields, mistakes = [] } = view;
    const html = renderConsent({
      client,
      redirectAddress,
      payer,
      payers: visitor.payers,
      isPerson: visitor.isPerson,
      query: queryOf(request),
      token: sealToken(Buffer.from(String(Date.now())), tokenOptions(request, visitor)),
      fields,
      mistakes,
      endsBefore,
      feeds: await listFeeds(reader),
    });
    // The form's answer redirects to the program, which the browser allows only if the policy names it.
    const headers = privatePageHeaders({ formTarget: formTargetOf(redirectAddress) });
    return respond({
      status: mistakes.length > 0 ? 422 : 200,
      headers: { ...headers },
      body: html,
    });
  }

  return {
    async show(request: Request): Promise<Response> {
      const visitor = await visitors.find(request);
      if (visitor === undefined) {
        if (mayLackCookie(request)) return reloadPage(request);
        return redirect(visitors.signInAddress(AUTHORIZE_PATH + queryOf(request)));
      }
      const consumer = await consumerOf(visitor);
      if (consumer instanceof Response) return consumer;
      const asked = await readRequest(request, consumer.payer.id);
      if (asked instanceof Response) return asked;
      const fields = proposedFields(config.connectDailyCredits);
      return showConsent(request, asked, { visitor, ...consumer, fields });
    },

    async decide(request: Request, form: URLSearchParams): Promise<Response> {
      const again = () => redirect(http.baseUrl() + AUTHORIZE_PATH + queryOf(request));
      const visitor = await visitors.find(request);
      if (visitor === undefined) return again();
      const shown = openToken(form.get("token") ?? "", tokenOptions(request, visitor));
      // The form belongs to another session or page, or is too old. Users must have seen what they agree to.
      if (shown === undefined || Date.now() - Number(shown.toString()) > CONSENT_MS_MAX) {
        return again();
      }
      const chosen = form.get("account_id");
      // A choice that is not the user's any more is asked for again.
      if (chosen !== null && !visitor.payers.some(({ id }) => id === chosen)) return again();
      const consumer = await consumerOf(visitor, chosen);
      if (consumer instanceof Response) return consumer;
      const { payer, endsBefore } = consumer;
      const accountId = payer.id;
      const asked = await readRequest(request, accountId);
      if (asked instanceof Response) return asked;
      const { redirectAddress, state } = asked;
      const iss = http.baseUrl();
      if (form.get("decision") !== "agree") {
        const error = "access_denied";
        return redirect(answerAddress(redirectAddress, { error, state, iss }));
      }
      const fields = fieldsOf(form);
      const input = await readConsent(fields, {
        feeds,
        accountId,
        nowMs: Date.now(),
        endsBeforeMs: endsBefore === undefined ? undefined : Date.parse(endsBefore),
      });
      if (input.kind === "mistakes") {
        const { mistakes } = input;
        return showConsent(request, asked, { visitor, ...consumer, fields, mistakes });
      }
      const { dailyNanos, feedIds, keyEndsAt } = input;
      const code = await agree(database, asked, {
        accountId,
        dailyNanos,
        feedIds,
        keyEndsAt: keyEndsAt.toISOString(),
        actor: visitor.actor,
        agreedKeyId: visitor.key?.keyId,
      });
      if (code === undefined) {
        return refusalPage(
          409,
          "This account has reached its limit of agents. Disconnect one on the first page of the console, and start again in the program.",
        );
      }
      return redirect(answerAddress(redirectAddress, { code, state, iss }));
    },
  };
}

async function listFeeds(reader: Services["reader"]): Promise<readonly ListedFeed[]> {
  const rows = await reader.rows(GATEWAY, "list_catalog", { limit: CONSENT_FEEDS_MAX, offset: 0 });
  return listedPage(rows, 0).feeds.map((feed) => ({
    id: feed.feed_id ?? "",
    slug: feed.endpoint_path ?? "",
    name: feed.name ?? "",
    price: priceText(feed),
  }));
}

/** The query with `?`, without the parameter of a reloaded page. */
function queryOf(request: Request): string {
  const query = urlOf(request).searchParams;
  query.delete(RELOADED);
  return query.size === 0 ? "" : `?${query}`;
}

/**
 * Whether the browser may have omitted the session's cookie because another site led here. If so, the page reloads
 * itself, which is a navigation within this site.
 */
function mayLackCookie(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "cross-site";
  return !urlOf(request).searchParams.has(RELOADED);
}

function reloadPage(request: Request): Response {
  const query = queryOf(request);
  const address = `authorize${query}${query === "" ? "?" : "&"}${RELOADED}=1`;
  return page(200, renderReload(address));
}

/**
 * The origin that a form on the page may lead to. A policy can't name an IPv6 address, or a host under a private
 * scheme, so it allows the whole scheme.
 */
function formTargetOf(redirectAddress: string): string {
  const { origin, protocol, hostname } = new URL(redirectAddress);
  return hostname.startsWith("[") || !/^https?:$/.test(protocol) ? protocol : origin;
}

function refusalPage(status: number, reason: string): Response {
  return page(status, renderRefusal(reason));
}

function page(status: number, body: string): Response {
  return respond({ status, headers: { ...PRIVATE_PAGE_HEADERS }, body });
}

/** 303, so that a posted form is not posted again. Sends no referrer to the next address. */
function redirect(address: string): Response {
  const headers = {
    Location: address,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  };
  return respond({ status: 303, headers, body: null });
}

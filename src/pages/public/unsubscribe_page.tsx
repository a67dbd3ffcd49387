/** @jsxImportSource preact */
/**
 * `/unsubscribe/{token}`: stops mails of one kind. Each mail contains the link, which works without signing in.
 *
 * Programs that scan mails open links, so only a POST changes anything. Mail programs send it by themselves (RFC 8058),
 * and people press a button.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { keyless } from "../../api/callers/without_key.ts";
import { NO_PARAMETERS } from "../../api/input/parameters.ts";
import { CACHE_PRIVATE } from "../../http/answer.ts";
import { respond } from "../../http/respond.ts";
import { answerShared, compressedContent } from "../../http/shared_content.ts";
import type { Services } from "../../services.ts";
import { type PageFrame, PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { PUBLIC_PAGE_HEADERS } from "../layout/page_headers.ts";

/** Its address is a secret of its reader. */
const HEADERS = {
  ...PUBLIC_PAGE_HEADERS,
  "Cache-Control": CACHE_PRIVATE,
  "Referrer-Policy": "no-referrer",
};
const PARAMS = Type.Object({ token: Type.String({ maxLength: 4_000 }) });

export function unsubscribeRoutes(services: Services, frame: PageFrame = {}) {
  const { operatorsListener, pageLimit } = services;
  const documented = { params: PARAMS, query: NO_PARAMETERS, detail: { hide: true } };
  return new Elysia({ name: "unsubscribe" })
    .use(keyless())
    .get(
      "/unsubscribe/:token",
      async ({ call, server }) => {
        pageLimit(operatorsListener.addressOf(call.request, server));
        const page = compressedContent(renderUnsubscribe(frame, "asked"));
        return respond(answerShared(call.request, await page, HEADERS));
      },
      documented,
    )
    .post(
      "/unsubscribe/:token",
      async ({ call, params, server }) => {
        pageLimit(operatorsListener.addressOf(call.request, server));
        const isStopped = await services.stopMails(params.token);
        const page = renderUnsubscribe(frame, isStopped ? "stopped" : "unknown");
        return respond({
          status: 200,
          headers: { ...HEADERS, "Content-Type": "text/html; charset=utf-8" },
          body: page,
        });
      },
      { ...documented, parse: "none" },
    );
}

const TEXTS = {
  asked: "You will receive no more emails of this kind for this account.",
  stopped: "You will receive no more emails of this kind.",
  unknown: "This link no longer works. Sign in to choose which emails you receive.",
};

function renderUnsubscribe(frame: PageFrame, state: keyof typeof TEXTS): string {
  return renderPage({
    ...frame,
    title: "Email",
    isListed: false,
    root: "..",
    menu: PUBLIC_MENU,
    children: (
      <div class="text">
        <h1>{state === "asked" ? "Stop these emails?" : "Email"}</h1>
        <p class="lead">{TEXTS[state]}</p>
        {state === "asked" && (
          <form method="post">
            <button type="submit">Stop them</button>
          </form>
        )}
      </div>
    ),
  });
}

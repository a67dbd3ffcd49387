/** @jsxImportSource preact */
/**
 * A problem as a page, for a browser that opened an address outside the API.
 *
 * @module
 */
import { PROBLEMS, type Problem, type ProblemCode } from "../../http/problem_details.ts";
import { PUBLIC_MENU, pageFrame, renderPage } from "./page.tsx";
import { Text } from "./parts.tsx";

/** Titles for people, where a problem's own is about routes. */
const TITLES: Partial<Record<ProblemCode, string>> = {
  ROUTE_NOT_FOUND: "Page not found",
  METHOD_NOT_ALLOWED: "This address is for programs",
};

const FOR_PROGRAMS = "A browser can't use it. Give it to an agent or another program.";

export function titleOf(code: ProblemCode): string {
  return TITLES[code] ?? PROBLEMS[code].title;
}

interface ProblemPage {
  /** The way from the page's folder to the gateway's root. */
  readonly root: string;
  readonly requestId: string;
  readonly hasConsole: boolean;
}

/** The page as HTML. */
export function renderProblem(
  problem: Problem,
  { root, requestId, hasConsole }: ProblemPage,
): string {
  const { code } = problem;
  const title = titleOf(code);
  return renderPage({
    ...pageFrame({ hasConsole }),
    title,
    isListed: false,
    root,
    menu: PUBLIC_MENU,
    children: (
      <>
        <h1>{title}</h1>
        <p class="lead">
          <Text of={code === "METHOD_NOT_ALLOWED" ? FOR_PROGRAMS : problem.detailIn()} />
        </p>
        <div class="actions">
          <a class="button" href={`${root}/`}>
            Browse all feeds
          </a>
          <a class="button quiet" href={`${root}/docs/guides/connect`}>
            Connect an agent
          </a>
        </div>
        <p class="hint">
          Request <code>{requestId}</code>
        </p>
      </>
    ),
  });
}

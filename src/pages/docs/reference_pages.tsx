/** @jsxImportSource preact */
/**
 * The API reference: an overview of all operations, a page of operations for each kind of caller, and the table of
 * errors. A problem's `type` links to `/docs#errors-…`, where an entry with this anchor links to the row of the table.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { PROBLEM_CODES, PROBLEM_DOCS } from "../../api/reference/problem_docs.ts";
import { anchorOf, PROBLEMS } from "../../http/problem_details.ts";
import type { Limits } from "../../limits.ts";
import { type PageFrame, PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { DocsHead, GuideLinks } from "./docs_frame.tsx";
import { CodeLink, Method, OperationPart } from "./operation_part.tsx";
import {
  type Group,
  type GroupName,
  groupsOf,
  type ReferenceDocument,
} from "./reference_document.ts";
import { Coded } from "./schema_fields.tsx";

/** A longer list of sections is folded. */
const SECTIONS_OPEN_MAX = 5;

export interface Reference {
  readonly document: ReferenceDocument;
  readonly frame: PageFrame;
  /** Public address without a trailing slash. */
  readonly baseUrl: string;
  readonly limits: Limits;
}

/** `/docs`. */
export function renderOverview({ document, frame, baseUrl, limits }: Reference): string {
  const groups = groupsOf(document);
  return renderPage({
    ...frame,
    title: "API reference",
    description:
      "All operations of the gateway, grouped by caller, with requests, responses and errors.",
    root: ".",
    menu: PUBLIC_MENU,
    current: "docs",
    head: <DocsHead root="." />,
    children: (
      <ReferenceFrame root="." groups={groups} current="overview">
        <h1>API reference</h1>
        <p class="lead">
          All HTTP operations, grouped by caller, each with an example request, its response and its
          errors. Agents that use MCP call <a href="./docs/guides/connect">tools</a> instead.
        </p>
        <Basics baseUrl={baseUrl} limits={limits} />
        {groups.map((group) => (
          <GroupIndex group={group} />
        ))}
        <h2 id="people">People</h2>
        <p class="text">
          People use web pages rather than operations: the{" "}
          <a href="./docs/guides/console">console</a> for keys, usage, feeds and payment, and the
          consent page that <a href="./docs/guides/connect">connects an agent</a>. The operations
          for managing people are part of the <a href="./docs/reference/operators">operators’</a>{" "}
          reference.
        </p>
        <ErrorIndex />
        <GuideLinks root="." />
      </ReferenceFrame>
    ),
  });
}

/** `/docs/reference/{name}`. */
export function renderGroup(name: GroupName, reference: Reference): string {
  const { document, frame, baseUrl } = reference;
  const groups = groupsOf(document);
  const group = groups.find((each) => each.name === name) as Group;
  return renderPage({
    ...frame,
    title: `${group.title}: API reference`,
    description: group.about,
    root: "../..",
    menu: PUBLIC_MENU,
    current: "docs",
    head: <DocsHead root="../.." />,
    children: (
      <ReferenceFrame root="../.." groups={groups} current={name}>
        <h1>{group.title}</h1>
        <p class="lead">{group.about}</p>
        {group.sections.map(({ title, routes }) => (
          <>
            <h2 id={anchorOfTitle(title)}>{title}</h2>
            {routes.map((route) => (
              <OperationPart
                route={route}
                document={document}
                baseUrl={baseUrl}
                errorsHref="../errors"
              />
            ))}
          </>
        ))}
      </ReferenceFrame>
    ),
  });
}

/** `/docs/errors`. */
export function renderErrors({ document, frame }: Reference): string {
  return renderPage({
    ...frame,
    title: "Errors: API reference",
    description: "Every error code of the gateway, when it is returned, and what to do.",
    root: "..",
    menu: PUBLIC_MENU,
    current: "docs",
    head: <DocsHead root=".." />,
    children: (
      <ReferenceFrame root=".." groups={groupsOf(document)} current="errors">
        <h1>Errors</h1>
        <p class="lead">
          Every error is a problem document (RFC 9457, <code>application/problem+json</code>).
          Branch on <code>code</code>; <code>detail</code> says what to do in the case at hand, and{" "}
          <code>request_id</code> helps the operator find the request.
        </p>
        <section class="scroll errors" aria-label="Errors" tabIndex={0}>
          <table class="cells">
            <thead>
              <tr>
                <th scope="col">Status</th>
                <th scope="col">Code</th>
                <th scope="col">When</th>
                <th scope="col">What to do</th>
              </tr>
            </thead>
            <tbody>
              {PROBLEM_CODES.map((code) => (
                <tr id={anchorOf(code)}>
                  <td data-head="Status">
                    {code === "KEY_INVALID" ? "401 or 403" : PROBLEMS[code].status}
                  </td>
                  <td data-head="Code">
                    <CodeLink code={code} errorsHref="" />
                    <br />
                    <span class="soft small">{PROBLEMS[code].title}</span>
                  </td>
                  <td data-head="When">
                    <Coded text={PROBLEM_DOCS[code].when} />
                  </td>
                  <td data-head="What to do">
                    <Coded text={PROBLEM_DOCS[code].remedy} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </ReferenceFrame>
    ),
  });
}

interface ReferenceFrameProps {
  readonly root: string;
  readonly groups: readonly Group[];
  readonly current: GroupName | "overview" | "errors";
  readonly children: ComponentChildren;
}

/** A page of the reference beside the list of its pages, and of the sections of this one. */
function ReferenceFrame({ root, groups, current, children }: ReferenceFrameProps) {
  const link = (path: string, text: string, name: string) => (
    <a href={`${root}/${path}`} aria-current={name === current ? "page" : undefined}>
      {text}
    </a>
  );
  return (
    <div class="with-side reference">
      <nav class="side" aria-label="API reference">
        <p>API reference</p>
        {link("docs", "Overview", "overview")}
        {groups.map(({ name, title, sections }) => (
          <>
            {link(`docs/reference/${name}`, title, name)}
            {name === current && (
              <div class="side-sections">
                {sections.map((section) => (
                  <details open={sections.length <= SECTIONS_OPEN_MAX}>
                    <summary>{section.title}</summary>
                    {section.routes.map(({ operationId, summary }) => (
                      <a href={`#${operationId}`}>{summary}</a>
                    ))}
                  </details>
                ))}
              </div>
            )}
          </>
        ))}
        {link("docs/errors", "Errors", "errors")}
        {link("docs/try", "Try it out", "try")}
        <a href={`${root}/docs/json`}>OpenAPI document</a>
      </nav>
      <div>{children}</div>
    </div>
  );
}

function Basics({ baseUrl, limits }: Pick<Reference, "baseUrl" | "limits">) {
  return (
    <dl class="facts basics">
      <dt>Base URL</dt>
      <dd>
        <code>{baseUrl}/v1</code>, and the same at <code>/api/v1</code>
      </dd>
      <dt>Keys</dt>
      <dd>
        Readers send <code>x-api-key: fg_read_…</code>; providers and operators send{" "}
        <code>Authorization: Bearer</code> with a write key or an admin key.
      </dd>
      <dt>Limits</dt>
      <dd>
        In 60 seconds: {limits.readsFree} reads of a free feed and {limits.readsPaid} of a paid one,{" "}
        {limits.discovery} calls each of catalog, search and metadata, {limits.pushes} pushes to a
        feed.
      </dd>
      <dt>Credits</dt>
      <dd>
        One credit is 0.000001 USD. <code>HEAD</code> works wherever <code>GET</code> does, and is
        never charged.
      </dd>
      <dt>Errors</dt>
      <dd>
        Problem documents (RFC 9457). <a href="./docs/errors">All codes</a> are explained in one
        table.
      </dd>
      <dt>Tools</dt>
      <dd>
        <a href="./docs/try">Try operations in Swagger UI</a>, or generate a client from the{" "}
        <a href="./docs/json">OpenAPI document</a>.
      </dd>
    </dl>
  );
}

function GroupIndex({ group }: { readonly group: Group }) {
  const href = `./docs/reference/${group.name}`;
  return (
    <section class="operations" aria-labelledby={group.name}>
      <h2 id={group.name}>
        <a href={href}>{group.title}</a>
      </h2>
      <p class="text soft">{group.about}</p>
      {group.sections.map(({ title, routes }) => (
        <>
          <h3>{title}</h3>
          <ul>
            {routes.map(({ operationId, method, path, summary }) => (
              <li>
                <Method of={method} />
                <a href={`${href}#${operationId}`}>{summary}</a>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </>
      ))}
    </section>
  );
}

/** A line for each anchor that problems lead to. The script follows its link at once. */
function ErrorIndex() {
  return (
    <section id="errors">
      <h2>
        <a href="./docs/errors">Errors</a>
      </h2>
      <p class="text soft">Each code links to its row in the error table.</p>
      <ul class="codes columns">
        {PROBLEM_CODES.map((code) => (
          <li id={anchorOf(code)} class="moved">
            <span class="status">{PROBLEMS[code].status}</span>{" "}
            <CodeLink code={code} errorsHref="./docs/errors" />
          </li>
        ))}
      </ul>
    </section>
  );
}

function anchorOfTitle(title: string): string {
  return title.toLowerCase().replace(/[^a-z]+/g, "-");
}

/** @jsxImportSource preact */
/**
 * One operation of the reference: its parameters and body, its responses, its errors, and a request with its response.
 *
 * @module
 */
import { PROBLEM_CODES } from "../../api/reference/problem_docs.ts";
import { anchorOf, PROBLEMS, type ProblemCode } from "../../http/problem_details.ts";
import { Badge } from "../layout/parts.tsx";
import type { Parameter, ReferenceDocument, Route } from "./reference_document.ts";
import {
  bodiesOf,
  curlText,
  keyOf,
  type SampleBody,
  sampleAnswer,
  sampleRequest,
} from "./samples.ts";
import { Choices, Coded, FieldName, SchemaFields, typeText } from "./schema_fields.tsx";

interface OperationProps {
  readonly route: Route;
  readonly document: ReferenceDocument;
  readonly baseUrl: string;
  /** The address of the page of errors. */
  readonly errorsHref: string;
}

const KEYS = { read: "read key", write: "write key", admin: "admin key" } as const;

/** Errors that say nothing about one operation. They are told once, below the others. */
const COMMON: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "INVALID_REQUEST",
  "INVALID_PARAMETER",
  "KEY_REQUIRED",
  "KEY_INVALID",
  "KEY_PERMISSION",
  "ACCOUNT_SUSPENDED",
  "BODY_NOT_JSON",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "RATE_LIMITED",
  "INTERNAL",
  "UNAVAILABLE",
]);

export function OperationPart(props: OperationProps) {
  const { route } = props;
  const key = keyOf(route);
  return (
    <section class="operation" id={route.operationId} aria-label={route.summary}>
      <div class="operation-head">
        <h3>
          <a href={`#${route.operationId}`}>{route.summary}</a>
        </h3>
        <p class="route">
          <Method of={route.method} /> <code>{route.path}</code>
          <span class="soft small">{key === undefined ? "no key" : KEYS[key]}</span>
        </p>
      </div>
      <div class="operation-text">
        {route.description.split("\n\n").map((text) => (
          <p>
            <Coded text={text} />
          </p>
        ))}
        <Parameters {...props} />
        <RequestBody {...props} />
        <Answers {...props} />
        <Errors {...props} />
      </div>
      <div class="operation-samples">
        <Samples {...props} />
      </div>
    </section>
  );
}

export function Method({ of }: { readonly of: string }) {
  return <span class={`method ${of.toLowerCase()}`}>{of}</span>;
}

const PLACES = { path: "Path", query: "Query", header: "Headers" } as const;

function Parameters({ route, document }: OperationProps) {
  return (
    <>
      {Object.entries(PLACES).map(([place, title]) => {
        const parameters = route.parameters.filter((each) => each.in === place);
        if (parameters.length === 0) return null;
        return (
          <>
            <h4>{title}</h4>
            <dl class="fields">
              {parameters.map((each) => (
                <ParameterField parameter={each} document={document} />
              ))}
            </dl>
          </>
        );
      })}
    </>
  );
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly document: ReferenceDocument;
}

function ParameterField({ parameter, document }: ParameterFieldProps) {
  const { name, required, description = "", schema } = parameter;
  return (
    <>
      <FieldName name={name} type={typeText(schema, document)} isRequired={required} />
      <dd>
        <Coded text={description} />
        <Choices of={schema} />
      </dd>
    </>
  );
}

function RequestBody({ route, document }: OperationProps) {
  const { requestBody } = route;
  if (requestBody === undefined) return null;
  const types = Object.keys(requestBody.content);
  const [media] = Object.values(requestBody.content);
  return (
    <>
      <h4>Body</h4>
      <p>
        <MediaTypes of={types} />. <Coded text={requestBody.description} />
      </p>
      {media !== undefined && <SchemaFields of={media.schema} document={document} />}
    </>
  );
}

function Answers({ route, document }: OperationProps) {
  const answers = Object.entries(route.responses).filter(([status]) => Number(status) < 400);
  return (
    <>
      <h4>Responses</h4>
      <dl class="answers">
        {answers.map(([status, { description, content = {} }]) => {
          const [media] = Object.values(content);
          const fields = media && SchemaFields({ of: media.schema, document });
          return (
            <>
              <dt>
                <Badge tone="good">{status}</Badge>
              </dt>
              <dd>
                <Coded text={description} />
                {Object.keys(content).length > 1 && (
                  <>
                    {" "}
                    <MediaTypes of={Object.keys(content)} />.
                  </>
                )}
                {fields && (
                  <details>
                    <summary>Fields</summary>
                    {fields}
                  </details>
                )}
              </dd>
            </>
          );
        })}
      </dl>
    </>
  );
}

function MediaTypes({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {of.map((type, place) => (
        <>
          {place > 0 && " or "}
          <code>{type}</code>
        </>
      ))}
    </>
  );
}

function Errors({ route, errorsHref }: OperationProps) {
  const codes = codesOf(route);
  const own = codes.filter((code) => !COMMON.has(code));
  const common = codes.filter((code) => COMMON.has(code));
  return (
    <>
      <h4>Errors</h4>
      {own.length > 0 && (
        <ul class="codes">
          {own.map((code) => (
            <li>
              <span class="status">{PROBLEMS[code].status}</span>{" "}
              <CodeLink code={code} errorsHref={errorsHref} />{" "}
              <span class="soft">{PROBLEMS[code].title}</span>
            </li>
          ))}
        </ul>
      )}
      <p class="small soft common-codes">
        {own.length > 0 ? "Also: " : ""}
        {common.map((code, place) => (
          <>
            {place > 0 && ", "}
            <CodeLink code={code} errorsHref={errorsHref} />
          </>
        ))}
      </p>
    </>
  );
}

/** All codes that the document has of an operation, in the order of the page of errors. */
function codesOf({ responses }: Route): readonly ProblemCode[] {
  const named = new Set(
    Object.values(responses).flatMap(({ content = {} }) =>
      Object.keys(content["application/problem+json"]?.examples ?? {}),
    ),
  );
  return PROBLEM_CODES.filter((code) => named.has(code));
}

interface CodeLinkProps {
  readonly code: ProblemCode;
  readonly errorsHref: string;
}

export function CodeLink({ code, errorsHref }: CodeLinkProps) {
  return (
    <a href={`${errorsHref}#${anchorOf(code)}`}>
      <code>{code}</code>
    </a>
  );
}

function Samples({ route, baseUrl }: OperationProps) {
  const request = sampleRequest(route);
  const answer = sampleAnswer(route);
  const [, ...bodies] = route.requestBody === undefined ? [] : bodiesOf(route.requestBody.content);
  const answers = Object.entries(route.responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([, { content = {} }]) => bodiesOf(content))
    .filter(({ text }) => text !== answer.body?.text);
  return (
    <>
      <p class="sample-head">Request</p>
      <pre class="request">
        <code>{curlText(request, baseUrl)}</code>
      </pre>
      <More title="Other bodies" bodies={bodies} />
      <p class="sample-head">
        Response <Badge tone="good">{answer.status}</Badge>
      </p>
      {answer.body === undefined ? (
        <p class="soft small">No body.</p>
      ) : (
        <pre class="tall">
          <code>{answer.body.text}</code>
        </pre>
      )}
      <More title="Other responses" bodies={answers} />
    </>
  );
}

function More({
  title,
  bodies,
}: {
  readonly title: string;
  readonly bodies: readonly SampleBody[];
}) {
  if (bodies.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      {bodies.map(({ title: about, type, text }) => (
        <>
          <p class="small soft">{about ?? <code>{type}</code>}</p>
          <pre class="tall">
            <code>{text}</code>
          </pre>
        </>
      ))}
    </details>
  );
}

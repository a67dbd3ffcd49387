/**
 * A span for each response, sent to an OpenTelemetry collector by OTLP over HTTP. Loaded only if an endpoint is
 * configured.
 *
 * Spans contain ids, never a key, a query or a payload. They are queued, and dropped if the collector can't keep up, so
 * that no response waits for it.
 *
 * @module
 */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { TracingConfig } from "../../config.ts";
import type { AnsweredCall } from "../../http/call.ts";
import { parseTraceParent } from "../../http/traceparent.ts";
import { VERSION } from "../../lib/program_version.ts";
import { within } from "../../lib/within.ts";

const ERROR_STATUS_MIN = 500;
/** How long a stop waits for the last spans to be sent. */
const END_MS_MAX = 2_000;

export interface Spans {
  /** Records the span of a response that was just made. */
  record(answer: AnsweredCall): void;
  /** Sends what is queued. */
  end(): Promise<void>;
}

/** `batchMs`: how often spans are sent. */
export function createSpans(
  { url, sampler, ratio }: TracingConfig,
  { batchMs }: { readonly batchMs?: number } = {},
): Spans {
  const roots = {
    on: new AlwaysOnSampler(),
    off: new AlwaysOffSampler(),
    ratio: new TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[sampler.root];
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
    resource: resourceFromAttributes({
      "service.name": "feedgate",
      "service.version": VERSION,
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: sampler.isParentBased ? new ParentBasedSampler({ root }) : root,
    spanProcessors: [
      new BatchSpanProcessor({
        // It reads the variables for headers, time limit, compression and certificates.
        exporter: new OTLPTraceExporter({ url }),
        ...(batchMs !== undefined && { scheduledDelayMillis: batchMs }),
      }),
    ],
  });
  const tracer = provider.getTracer("feedgate", VERSION);
  return {
    record({ call, route, status, ms }) {
      const { request, requestId, subject } = call;
      const endMs = Date.now();
      const span = tracer.startSpan(
        `${request.method} ${route}`,
        {
          kind: SpanKind.SERVER,
          startTime: endMs - ms,
          // https://opentelemetry.io/docs/specs/semconv/http/http-spans/
          attributes: {
            "http.request.method": request.method,
            "http.route": route,
            "http.response.status_code": status,
            "feedgate.request_id": requestId,
            "feedgate.code": subject.code,
            "feedgate.account_id": subject.accountId,
            "feedgate.key_id": subject.keyId,
            "feedgate.feed_id": subject.feedId,
            "error.type": status >= ERROR_STATUS_MIN ? String(status) : undefined,
          },
        },
        parentOf(request.headers.get("traceparent")),
      );
      if (status >= ERROR_STATUS_MIN) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(endMs);
    },
    async end() {
      await within(provider.shutdown(), END_MS_MAX);
    },
  };
}

function parentOf(header: string | null) {
  const parent = parseTraceParent(header);
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, flags: traceFlags } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

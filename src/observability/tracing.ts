/** Shows runs to tracers: to OpenTelemetry as spans, and each search to LangSmith and its like. */
import { createRequire } from "node:module";
import type { Callbacks } from "@langchain/core/callbacks/manager";
import { Document } from "@langchain/core/documents";
import { getCallbackManagerForConfig, type RunnableConfig } from "@langchain/core/runnables";
import { BaseTracer, type Run } from "@langchain/core/tracers/base";
import { isGraphBubbleUp } from "@langchain/langgraph";
import type * as OpenTelemetry from "@opentelemetry/api";
import { z } from "zod";
import type { Evidence } from "../state/evidence.js";
import { reasonOf } from "../support/errors.js";
import { isRecord } from "../support/json.js";
import { isInstalled, packageVersion } from "../support/packages.js";
import { redactText } from "./redact.js";

/** Adds spans to callbacks, if the process has registered an SDK of OpenTelemetry. */
export function withSpans(callbacks: Callbacks | undefined): Callbacks | undefined {
  // Here every copy of the API finds the SDK.
  const registry: unknown = Reflect.get(globalThis, Symbol.for("opentelemetry.js.api.1"));
  const name = "@opentelemetry/api";
  if (!isRecord(registry) || registry["trace"] === undefined || !isInstalled(name))
    return callbacks;
  const api = z.custom<typeof OpenTelemetry>().parse(createRequire(import.meta.url)(name));
  const spans = new SpanTracer(api);
  if (callbacks === undefined || Array.isArray(callbacks)) return [...(callbacks ?? []), spans];
  return callbacks.copy([spans]);
}

/** Of a call of a model. */
const Usage = z.object({ input_tokens: z.number(), output_tokens: z.number() });
const Generated = z.object({
  generations: z.tuple([
    z.tuple([z.object({ message: z.object({ usage_metadata: Usage }) })]).rest(z.unknown()),
  ]),
});

/** Makes a span of each run, node, search and model call; what is said in them stays out. */
class SpanTracer extends BaseTracer {
  override name = "opentelemetry";
  // At once, so that the span of the surrounding request is found.
  override awaitHandlers = true;
  private readonly spans = new Map<string, OpenTelemetry.Span>();

  constructor(private readonly api: typeof OpenTelemetry) {
    super();
  }

  override onRunCreate({ id, name, run_type: kind, parent_run_id: parent, start_time: at }: Run) {
    const { context, trace } = this.api;
    const above = this.spans.get(parent ?? "");
    const place = above ? trace.setSpan(context.active(), above) : context.active();
    const attributes = { "langchain.run_id": id, "langchain.run_type": kind };
    const tracer = trace.getTracer("corrective-rag", packageVersion());
    this.spans.set(id, tracer.startSpan(name, { startTime: at, attributes }, place));
  }

  override onRunUpdate({ id, error, outputs, end_time: at }: Run) {
    const span = this.spans.get(id);
    this.spans.delete(id);
    const used = Generated.safeParse(outputs).data?.generations[0][0].message.usage_metadata;
    for (const [kind, count] of Object.entries(used ?? {}))
      span?.setAttribute(`gen_ai.usage.${kind}`, count);
    if (error) span?.setStatus({ code: this.api.SpanStatusCode.ERROR, message: error });
    span?.end(at);
  }

  /** Waiting for a person is no failure, and what the person is asked stays out. */
  protected override stringifyError(error: unknown): string {
    return isGraphBubbleUp(error) ? "" : redactText(reasonOf(error));
  }

  protected override async persistRun(): Promise<void> {}
}

/** Reports a call as a run of type `retriever`, whose documents are the evidence that it found. */
export async function traceRetrieval<T extends { evidence: readonly Evidence[] }>(
  { name, args, config }: { name: string; args: Record<string, unknown>; config: RunnableConfig },
  run: () => Promise<T>,
): Promise<T> {
  const manager = await getCallbackManagerForConfig(config);
  if (manager === undefined || manager.handlers.length === 0) return run();
  const { query, ...others } = args;
  const isPlain = typeof query === "string" && Object.keys(others).length === 0;
  const retrieval = await manager.handleRetrieverStart(
    { lc: 1, type: "not_implemented", id: ["corrective-rag", "tools", name] },
    isPlain ? query : JSON.stringify(args),
    undefined,
    undefined,
    undefined,
    undefined,
    name,
  );
  try {
    const result = await run();
    await retrieval.handleRetrieverEnd(
      result.evidence.map(({ id, text: pageContent, title, source, scores, metadata }) => {
        return new Document({ id, pageContent, metadata: { ...metadata, title, source, scores } });
      }),
    );
    return result;
  } catch (error) {
    await retrieval.handleRetrieverError(error);
    throw error;
  }
}

/** Sends pending traces, so that a process may exit right after a run. */
export async function flushTraces(): Promise<void> {
  const { awaitAllCallbacks } = await import("@langchain/core/callbacks/promises");
  await awaitAllCallbacks();
}

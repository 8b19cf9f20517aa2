/**
 * What the compiler promises to a host. `npm run typecheck` compiles this file against the sources,
 * tests/package/pack.test.ts against the packed declarations, `npm run check:host` in a project with
 * today's LangChain and both ways of resolving modules.
 */
import type { BaseMessage } from "@langchain/core/messages";
import type { BaseRetriever } from "@langchain/core/retrievers";
import { FakeListChatModel, FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import {
  correctiveRagTool,
  createCorrectiveRag,
  CorrectiveRagError,
  CorrectiveRetriever,
  fromRetriever,
  fromVectorStore,
  ingest,
  openSqliteKnowledgeBase,
  profiles,
  renderSource,
  UserError,
  type Citation,
  type ContextValues,
  type CorrectiveRagOptions,
  type CorrectiveRagResult,
  type Evidence,
  type IngestReport,
  type KnowledgeBase,
  type Outcome,
  type Profile,
  type RecordedEvent,
  type SettingsInput,
  type WritableKnowledgeBase,
} from "corrective-rag";
import { verifyAnswer, type Verification } from "corrective-rag/answering";
import { decide, gradeEvidence, type GradedEvidence, type Judge } from "corrective-rag/grading";
import { correctiveMiddleware } from "corrective-rag/langchain";
import { createReader, type Reader } from "corrective-rag/reader";
import { createAgent } from "langchain";

type IsAny<T> = 0 extends 1 & T ? true : false;
type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** The places in a value of plain data where the compiler would believe anything. */
type AnyIn<T, Path extends string = ""> =
  IsAny<T> extends true
    ? Path
    : T extends readonly (infer Item)[]
      ? AnyIn<Item, `${Path}[]`>
      : T extends (...args: never[]) => unknown
        ? never
        : T extends object
          ? { [K in keyof T & string]-?: AnyIn<T[K], `${Path}.${K}`> }[keyof T & string]
          : never;

function holds<_Claim extends true>(): void {
  return;
}

export async function results(): Promise<void> {
  const agent = createCorrectiveRag({ model: "embedded", checkpointer: new MemorySaver() });
  const result = await agent.ask("When?", { context: { profile: "holistic" } });
  holds<Equal<typeof result, CorrectiveRagResult>>();
  holds<Equal<typeof result.messages, BaseMessage[]>>();
  holds<Equal<typeof result.citations, Citation[]>>();
  holds<Equal<typeof result.outcome, Outcome>>();
  holds<Equal<AnyIn<Omit<CorrectiveRagResult, "messages" | "interrupts">>, never>>();
  type Status = "success" | "closest_passages" | "abstained" | "failed";
  holds<Equal<typeof result.outcome.status, Status>>();
  holds<Equal<(typeof result.passages)[number]["best"], [number, number] | null>>();

  for await (const event of agent.events({ messages: [["user", "When?"]] })) {
    holds<Equal<typeof event, RecordedEvent>>();
    if (event.type === "answer_delta") holds<Equal<typeof event.text, string>>();
  }
  holds<Equal<AnyIn<RecordedEvent>, never>>();
  const many = await agent.batch(["When?", { question: "Who?" }], { tags: ["host"] });
  holds<Equal<typeof many, CorrectiveRagResult[]>>();
  await agent.ask({ resume: { decisions: [] } }, { threadId: "t", signal: AbortSignal.timeout(1) });
}

export async function asAGraph(): Promise<void> {
  const { graph } = createCorrectiveRag({ model: "embedded" });
  const values = await graph.invoke({ question: "When?" }, { context: { profile: "signals" } });
  holds<Equal<IsAny<typeof values>, false>>();
  holds<Equal<typeof values.messages, BaseMessage[]>>();
  holds<Equal<typeof values.citations, Citation[]>>();
  await graph.invoke({ messages: [{ role: "user", content: "When?" }] });
  // @ts-expect-error an unknown profile is a mistake that the editor shows
  await graph.invoke({ question: "When?" }, { context: { profile: "nonsense" } });
  new StateGraph(MessagesAnnotation).addNode("research", graph).addEdge("__start__", "research");
}

export function options(retriever: BaseRetriever): void {
  holds<Equal<AnyIn<ContextValues>, never>>();
  holds<Equal<AnyIn<SettingsInput>, never>>();
  holds<Equal<IsAny<CorrectiveRagOptions["model"]>, false>>();
  const own: Profile = { ...profiles.adaptive, judge: judgeOfOwn };
  createCorrectiveRag({ retriever, profile: own, settings: { topK: 8 }, budget: { seconds: 5 } });
  createCorrectiveRag({ knowledgeBase: fromRetriever(retriever), profile: "three_action" });
  createCorrectiveRag({ model: new FakeListChatModel({ responses: [] }) });
  createCorrectiveRag({ model: new FakeStreamingChatModel({}) });
  // @ts-expect-error a setting is no option
  createCorrectiveRag({ topK: 8 });
  // @ts-expect-error a misspelt setting
  createCorrectiveRag({ settings: { topk: 8 } });
  // @ts-expect-error a value that is not allowed
  createCorrectiveRag({ settings: { guard: "lenient" } });
}

const judgeOfOwn: Judge = ({ evidence }) => ({
  judge: "own",
  scores: Object.fromEntries(evidence.map(({ id }) => [id, 1])),
});

export async function parts(retriever: BaseRetriever, evidence: Evidence[]): Promise<void> {
  const reader = createReader({ model: "lexical" });
  holds<Equal<typeof reader, Reader>>();
  const graded = await gradeEvidence({ question: "When?", items: [{ text: "Now." }], reader });
  holds<Equal<AnyIn<GradedEvidence>, never>>();
  holds<Equal<typeof graded.action, "GENERATE" | "REFINE" | "RE_RETRIEVE">>();
  decide satisfies (...given: never[]) => object;
  const checked = await verifyAnswer({ answer: "Now [1].", evidence, question: "When?", reader });
  holds<Equal<typeof checked, Verification>>();
  holds<Equal<AnyIn<Verification>, never>>();
  const documents = await new CorrectiveRetriever({ retriever, reader }).invoke("When?");
  holds<Equal<(typeof documents)[number]["pageContent"], string>>();
  const handbook = correctiveRagTool(createCorrectiveRag({ model: "embedded" }));
  createAgent({
    model: "openai:gpt-5-mini",
    tools: [handbook],
    middleware: [correctiveMiddleware({ reader })],
  });
}

export async function documents(): Promise<string> {
  const knowledgeBase = await openSqliteKnowledgeBase({ directory: "kb" });
  holds<Equal<typeof knowledgeBase, WritableKnowledgeBase>>();
  const readable: KnowledgeBase = knowledgeBase;
  const report = await ingest({ targets: ["docs"], knowledgeBase });
  holds<Equal<typeof report, IngestReport>>();
  fromVectorStore satisfies (...given: never[]) => KnowledgeBase;
  try {
    await readable.search("keyword", { query: "when", limit: 5 });
  } catch (error) {
    if (UserError.isInstance(error)) return error.hint ?? error.code;
    if (error instanceof CorrectiveRagError) return error.message;
  }
  return renderSource({ kind: "file", path: "docs/a.md", start_line: 3 });
}

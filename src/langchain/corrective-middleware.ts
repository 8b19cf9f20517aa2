/**
 * Corrective RAG for `createAgent`: grades retrieved documents and checks the final message.
 *
 * @packageDocumentation
 */
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { z } from "zod";
import { isWithdrawn } from "../answering/guard.js";
import { verifyAnswer } from "../answering/verify-answer.js";
import { gradeEvidence } from "../grading/grade-evidence.js";
import { profileOf, type Profile } from "../grading/profiles.js";
import { createReader } from "../reader/create-reader.js";
import type { Reader } from "../reader/reader.js";
import { isRecord, parsedJson } from "../support/json.js";
import type { ProfileName } from "../settings/run-settings.js";

export interface CorrectiveMiddlewareOptions {
  /**
   * Names of the tools whose results are graded, plain text by its paragraphs; by default every
   * tool that returns a list of documents, or an object with one as `documents` or `results`.
   */
  tools?: readonly string[];
  /** `adaptive` by default. */
  profile?: ProfileName | Profile;
  /** The shipped reader by default. */
  reader?: Reader;
  /** Checks the final message against the evidence; on by default. */
  verify?: boolean;
}

const NOTHING =
  "No document found answers the question. Search with other words, or say that you found none.";
const UNSUPPORTED = "I could not find an answer to this in the retrieved documents.";

/** Documents of a retriever or search tool, as JSON or as an artifact. */
const Found = z
  .array(
    z.union([
      z.looseObject({ pageContent: z.string() }).transform(({ pageContent }) => pageContent),
      z.looseObject({ content: z.string() }).transform(({ content }) => content),
      z.looseObject({ text: z.string() }).transform(({ text }) => text),
    ]),
  )
  .min(1);
/** The kept evidence, in the artifact of a tool message. */
const Kept = z.object({ corrective_rag: z.array(z.object({ id: z.string(), text: z.string() })) });

/**
 * Drops retrieved documents that answer neither the question nor what was searched for, asks the
 * model for another search if none is left, and removes sentences from the final message that the
 * evidence does not support.
 * @example createAgent({ model, tools: [search], middleware: [correctiveMiddleware()] });
 */
export function correctiveMiddleware({
  tools,
  profile = "adaptive",
  reader = createReader(),
  verify = true,
}: CorrectiveMiddlewareOptions = {}) {
  const chosen = profileOf(profile);
  return createMiddleware({
    name: "corrective_rag",
    async wrapToolCall(request, handler) {
      const result = await handler(request);
      if (!ToolMessage.isInstance(result) || result.status === "error") return result;
      if (tools !== undefined && !tools.includes(request.toolCall.name)) return result;
      // LangChain's `createRetrieverTool` joins documents by empty lines.
      const passages = documentsIn(result) ?? (tools && result.text.split("\n\n"));
      if (passages === undefined) return result;
      const items = passages
        .filter((text) => text.trim() !== "")
        .map((text, index) => ({ id: `${result.tool_call_id}:${index + 1}`, text }));
      const judged = (question: string) =>
        gradeEvidence({ question, items, profile: chosen, reader });
      let { kept } = await judged(questionIn(request.state.messages));
      // A follow-up, or one part of a longer question, is known by what the model searched for.
      const args = Object.values(request.toolCall.args);
      const searched = args.filter((value) => typeof value === "string").join(" ");
      if (kept.length === 0 && searched !== "") ({ kept } = await judged(searched));
      const shown = kept.map(({ id, text }) => ({ id, text }));
      return showing(result, shown);
    },
    // Numbers go on from search to search, parallel ones too: the answer may cite all evidence.
    beforeModel({ messages }) {
      let before = 0;
      const renumbered = sinceQuestion(messages).flatMap((message) => {
        const kept = keptIn(message);
        if (!ToolMessage.isInstance(message) || kept.length === 0) return [];
        const right = showing(message, kept, before);
        before += kept.length;
        return right.text === message.text ? [] : [right];
      });
      return renumbered.length === 0 ? undefined : { messages: renumbered };
    },
    async afterModel({ messages }) {
      const last = messages.at(-1);
      if (!verify || !AIMessage.isInstance(last) || (last.tool_calls?.length ?? 0) > 0) return;
      const found = sinceQuestion(messages).filter((message) => ToolMessage.isInstance(message));
      const [graded, others] = [found.filter(isGraded), found.filter((each) => !isGraded(each))];
      if (graded.length === 0 || last.text === "") return;
      // What the other tools returned supports the answer, too, but has no number.
      const returned = others.map(({ tool_call_id: id, text }) => ({ id, text }));
      const evidence = [...graded.flatMap(keptIn), ...returned];
      const question = questionIn(messages);
      const text = await checked({ answer: last.text, evidence, question, reader });
      if (text === last.text) return;
      const { id, name, usage_metadata, response_metadata } = last;
      const checkedMessage = { id, name, usage_metadata, response_metadata, content: text };
      return { messages: [new AIMessage(checkedMessage)] };
    },
  });
}

function documentsIn({ artifact, text }: ToolMessage): string[] | undefined {
  return [artifact as unknown, parsedJson(text)]
    .flatMap((source) => (isRecord(source) ? [source["documents"], source["results"]] : [source]))
    .map((list) => Found.safeParse(list))
    .find(({ success }) => success)?.data;
}

function questionIn(messages: readonly BaseMessage[]): string {
  return messages.findLast((message) => HumanMessage.isInstance(message))?.text ?? "";
}

function sinceQuestion(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages.slice(messages.findLastIndex((message) => HumanMessage.isInstance(message)) + 1);
}

function isGraded({ artifact }: ToolMessage): boolean {
  return Kept.safeParse(artifact).success;
}

type KeptText = z.output<typeof Kept>["corrective_rag"][number];

function keptIn(message: BaseMessage): KeptText[] {
  const kept = ToolMessage.isInstance(message) ? Kept.safeParse(message.artifact) : undefined;
  return kept?.data?.corrective_rag ?? [];
}

/** Replaces the documents in a tool message by the kept ones, numbered. */
function showing(message: ToolMessage, kept: KeptText[], before = 0): ToolMessage {
  const { tool_call_id, name, id, status } = message;
  const numbered = kept.map(({ text }, index) => `[${before + index + 1}] ${text}`);
  return new ToolMessage({
    tool_call_id,
    name,
    id,
    status,
    content: numbered.join("\n\n") || NOTHING,
    artifact: { corrective_rag: kept },
  });
}

/** Removes from the answer what cannot stay, and marks what is uncertain. */
async function checked(input: {
  answer: string;
  evidence: KeptText[];
  question: string;
  reader: Reader;
}): Promise<string> {
  const { sentences } = await verifyAnswer(input);
  let text = "";
  let end = 0;
  let stands = false;
  for (const sentence of sentences) {
    const { isClaim, status } = sentence;
    const gap = input.answer.slice(end, sentence.start);
    end = sentence.end;
    if (isClaim && isWithdrawn(sentence, "standard")) continue;
    stands ||= isClaim;
    text += gap + input.answer.slice(sentence.start, sentence.end);
    if (isClaim && status !== "supported") text = `${text.trimEnd()} (uncertain)`;
  }
  const claimed = sentences.some(({ isClaim }) => isClaim);
  return claimed && !stands ? UNSUPPORTED : (text + input.answer.slice(end)).trim();
}

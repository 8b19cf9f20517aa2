/** Turns the last message into a standalone question, and keeps the user's words too. */
import { withoutFloods } from "../text/words.js";
import { attachmentsOf, questionAtHand } from "./conversation.js";
import { defineNode, type NodeFunction, type NodeUpdate } from "./node.js";
import type { AgentParts } from "./parts.js";

export function rewriteQuestionNode(parts: AgentParts): NodeFunction {
  return defineNode("rewrite_question", parts, async ({ state, scope, services }) => {
    const { run } = state;
    const asked = questionAtHand(state.question, state.messages);
    const refuse = (error: string): NodeUpdate => {
      scope.cause("invalid_input");
      return { run: { ...run, error }, status: "failed" };
    };
    const attached = attachmentsOf(state.messages.at(-1));
    if (asked === undefined)
      return refuse(
        attached.length > 0
          ? `only text is read, and the message has none: ${attached.join(", ")}`
          : "no question was given: send `question`, or `messages` whose last one is from the user",
      );
    if (attached.length > 0) scope.warn(`only text is read; ignored: ${attached.join(", ")}`);
    if (state.messages.some(({ type }) => type === "system"))
      scope.warn("system messages are ignored: put instructions into the option `prompts`");
    const most = parts.maxQuestionBytes;
    if (Buffer.byteLength(asked.text) > most)
      return refuse(`the question is longer than ${most} bytes (CRAG_MAX_QUESTION_BYTES)`);
    const reasoner = await services.reasoner();
    const requestId: unknown = scope.config.metadata?.["request_id"];
    scope.emit({
      type: "run_started",
      question: asked.text,
      profile: services.profile.name,
      quality: scope.settings.quality,
      reasoner: reasoner.kind,
      ...(typeof requestId === "string" && { request_id: requestId }),
    });
    const rewritten = await reasoner.rewrite(
      { question: withoutFloods(asked.text), history: asked.history },
      scope,
    );
    if (rewritten.standaloneQuestion !== asked.text)
      scope.emit({
        type: "question_rewritten",
        question: asked.text,
        standalone_question: rewritten.standaloneQuestion,
        by: rewritten.by,
      });
    return {
      question: asked.text,
      standalone_question: rewritten.standaloneQuestion,
      run,
      // A message object would be echoed on the `messages` stream, a plain object is not.
      ...(asked.isNew && { messages: [{ role: "user", content: asked.text }] }),
    };
  });
}

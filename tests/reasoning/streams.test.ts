import { describe, expect, it } from "@jest/globals";
import { AIMessageChunk } from "@langchain/core/messages";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { nextDraftId, openDraftStream } from "../../src/reasoning/draft-stream.js";
import { createAnswerFilter } from "../../src/model/answer-filter.js";
import { openMessageStream } from "../../src/reasoning/draft-stream.js";
import { createTestScope } from "../support/test-scope.js";
import { answerInput } from "../model/fixtures.js";

describe("the part of a model's answer that is shown", () => {
  const through = (
    text: string,
    size: number,
  ): { shown: string; end: ReturnType<ReturnType<typeof createAnswerFilter>["finish"]> } => {
    const filter = createAnswerFilter();
    let shown = "";
    for (let at = 0; at < text.length; at += size) shown += filter.push(text.slice(at, at + size));
    const end = filter.finish();
    return { shown: shown + end.rest, end };
  };

  it.each([1, 2, 3, 7, 1000])("is the whole answer, in pieces of %d", (size) => {
    const text = "Under the bridge [1]. Unanswerable questions are rare.";
    expect(through(text, size)).toMatchObject({ shown: text, end: { text, unanswerable: false } });
  });

  it.each([1, 5, 1000])(
    "is nothing when it says that it cannot be answered, in pieces of %d",
    (size) => {
      for (const text of [
        "UNANSWERABLE: no source says so.",
        "**UNANSWERABLE:** no source says so.",
        "<think>hm [1]</think>\n\nUnanswerable: no source says so.",
      ])
        expect(through(text, size)).toMatchObject({
          shown: "",
          end: { text: "", unanswerable: true, reason: "no source says so." },
        });
    },
  );

  it.each([1, 4, 1000])("is nothing of the thinking, in pieces of %d", (size) => {
    expect(through("<think>Paris? [2]</think>\n\nParis [1].", size).shown).toBe("Paris [1].");
    expect(through("<think>never closed", size)).toMatchObject({ shown: "", end: { text: "" } });
  });

  it("keeps an answer that only begins like the unanswerable line", () => {
    expect(through("Unanswerable questions end in an abstention [1].", 3).end.unanswerable).toBe(
      false,
    );
  });
});

describe("a streamed draft", () => {
  it("finds markers across pieces, lists included, and each once", async () => {
    const scope = createTestScope();
    const draft = openDraftStream(answerInput(), scope);
    for (const piece of ["Paris [", "1", "]. Lyon [2, ", "3]. Again [1]."]) await draft.push(piece);
    await draft.end();
    expect(scope.of("citation").map(({ marker }) => marker)).toEqual([1, 2, 3]);
    expect(
      scope
        .of("answer_delta")
        .map(({ text }) => text)
        .join(""),
    ).toBe("Paris [1]. Lyon [2, 3]. Again [1].");
  });

  it("reports no marker without a source", async () => {
    const scope = createTestScope();
    const draft = openDraftStream(answerInput(), scope);
    await draft.push("From nowhere [9].");
    expect(scope.of("citation")).toEqual([]);
  });

  it("sends nothing if nothing is to be streamed", async () => {
    const scope = createTestScope();
    const draft = openDraftStream(answerInput({ stream: false }), scope);
    await draft.push("Paris [1].");
    await draft.retract("no reason");
    expect(scope.events).toEqual([]);
    expect(draft.sent).toBe("");
  });

  it("gets a new id each time it is rewritten", () => {
    expect(nextDraftId("m")).toBe("m-2");
    expect(nextDraftId("m-2")).toBe("m-2-2");
  });

  it("cites each source of a range, and none in code", async () => {
    const scope = createTestScope();
    const draft = openDraftStream(answerInput(), scope);
    for (const piece of ["Take `items[3]`. ", "Lyon [1", "-2]."]) await draft.push(piece);
    await draft.end();
    expect(scope.of("citation").map(({ marker }) => marker)).toEqual([1, 2]);
    expect(
      scope
        .of("answer_delta")
        .map(({ text }) => text)
        .join(""),
    ).toBe("Take `items[3]`. Lyon [1, 2].");
  });
});

describe("our own text on the messages stream", () => {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("speak", async (_state, config) => {
      const stream = openMessageStream({ id: "mine", config });
      for (const piece of ["Paris", " [1]", "."]) await stream.push(piece);
      await stream.end();
      return { messages: [new AIMessageChunk({ id: "mine", content: "Paris [1]." })] };
    })
    .addEdge(START, "speak")
    .addEdge("speak", END)
    .compile();

  it("comes piece by piece under the message's id, and the final message is not repeated", async () => {
    const pieces: { id: string | undefined; text: string }[] = [];
    for await (const [message] of await graph.stream({ messages: [] }, { streamMode: "messages" }))
      pieces.push({ id: message.id, text: message.text });
    expect(pieces).toEqual([
      { id: "mine", text: "Paris" },
      { id: "mine", text: " [1]" },
      { id: "mine", text: "." },
    ]);
  });

  it("does nothing if nobody listens", async () => {
    const { messages } = await graph.invoke({ messages: [] });
    expect(messages.map(({ text }) => text)).toEqual(["Paris [1]."]);
  });

  it("neither throws nor leaves a rejection behind when the run is cancelled", async () => {
    const controller = new AbortController();
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on("unhandledRejection", note);
    const spoken: string[] = [];
    const cancelled = new StateGraph(MessagesAnnotation)
      .addNode("speak", async (_state, config) => {
        const stream = openMessageStream({ id: "mine", config });
        await stream.push("Paris");
        controller.abort();
        await stream.push(" [1]");
        await stream.end();
        spoken.push("ended");
        return { messages: [] };
      })
      .addEdge(START, "speak")
      .addEdge("speak", END)
      .compile();
    const options = { streamMode: "messages", signal: controller.signal } as const;
    const reading = (async () => {
      for await (const _ of await cancelled.stream({ messages: [] }, options));
    })();
    await expect(reading).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off("unhandledRejection", note);
    expect({ spoken, rejections }).toEqual({ spoken: ["ended"], rejections: [] });
  });

  it("opens no message without text", async () => {
    const silent = new StateGraph(Annotation.Root({ done: Annotation<boolean> }))
      .addNode("speak", async (_state, config) => {
        await openMessageStream({ id: "mine", config }).end();
        return { done: true };
      })
      .addEdge(START, "speak")
      .addEdge("speak", END)
      .compile();
    const pieces: unknown[] = [];
    for await (const piece of await silent.stream({ done: false }, { streamMode: "messages" }))
      pieces.push(piece);
    expect(pieces).toEqual([]);
  });
});

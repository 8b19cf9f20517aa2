import { describe, expect, it } from "@jest/globals";
import { chatReply } from "../../src/reasoning/embedded/embedded-reasoner.js";
import { chatKind } from "../../src/reasoning/embedded/rewrite-and-route.js";
import type { Holdings, Turn } from "../../src/reasoning/reasoner.js";

const say = (question: string, history: Turn[] = [], holdings?: Holdings): string =>
  chatReply(chatKind(question), { question, history }, holdings);

describe("a chat reply without a model", () => {
  const history: Turn[] = [
    { role: "user", text: "What is REFINE?" },
    { role: "assistant", text: "REFINE goes back to plan [1]." },
    { role: "user", text: "And RE_RETRIEVE?" },
    { role: "assistant", text: "It takes another strategy [2]." },
  ];
  it.each([
    ["Hello!", /^Hello\./],
    ["Guten Tag", /^Hello\./],
    ["Thanks a lot", /welcome/],
    ["Who are you?", /^I am a corrective RAG agent/],
    ["What can you do?", /I answer questions about your documents/],
    ["What did I ask before?", /“And RE_RETRIEVE\?”/],
    ["What was my first question?", /“What is REFINE\?”/],
    ["What have we talked about so far?", /REFINE\?”; “And RE_RETRIEVE\?”/],
    ["Can you repeat your last answer?", /^I said: It takes another strategy \[2\]\.$/],
    ["Goodbye", /documents\?$/],
  ])("to %j", (question, expected) => {
    expect(say(question, history)).toMatch(expected);
  });

  it("invents nothing about a conversation that has just begun", () => {
    expect(say("What did I ask before?")).toMatch(/beginning/);
    expect(say("Repeat that")).toMatch(/not said anything/);
  });
});

describe("the reply about the knowledge base", () => {
  const listed = Array.from({ length: 23 }, (_, index) => ({
    title: `Guide\n${String(index)} [1]`,
    path: `docs/${String(index)}.md`,
  }));
  const held = (holdings: Partial<Holdings>): string =>
    say("Which documents do you have?", [], {
      name: "sqlite:kb",
      documents: 0,
      passages: 0,
      counted: true,
      listed: [],
      ...holdings,
    });

  it("lists titles and paths, counts the rest, and contains nothing like a citation", () => {
    const reply = held({ documents: 23, passages: 90, listed });
    expect(reply).toMatch(
      /^My knowledge base holds 23 documents in 90 passages:\n- Guide 0 \(docs\/0\.md\)\n/u,
    );
    expect(reply).toContain("\n- … and 3 more\n");
    expect(reply).not.toMatch(/\[\d+\]/u);
  });

  it("counts passages if documents are unknown, and reports an empty base", () => {
    expect(held({ name: "retriever", passages: 7 })).toMatch(/\(retriever\) holds 7 passages\./u);
    expect(held({})).toMatch(/is empty/u);
    expect(held({ counted: false })).toMatch(/does not list what it holds/u);
  });
});

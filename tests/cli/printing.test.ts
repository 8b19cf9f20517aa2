import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { placeOf } from "../../src/state/evidence.js";
import {
  createAnswerPrinter,
  sourceList,
  type PrinterOptions,
} from "../../src/cli/answer-printer.js";
import { tellEvent } from "../../src/cli/tell-event.js";
import {
  asTyped,
  createProgressBar,
  printable,
  styleFor,
  wrapped,
  type Style,
} from "../../src/cli/terminal.js";
import type { CorrectiveRagResult } from "../../src/corrective-rag.js";
import type { AgentEvent, RecordedEvent } from "../../src/observability/events.js";
import { OutcomeSchema } from "../../src/state/verdict.js";
import { causeText, statusOf } from "../../ui/words.js";

const asItIs = (text: string): string => text;
const plain: Style = { bold: asItIs, dim: asItIs, red: asItIs, green: asItIs, yellow: asItIs };
const ESC = "\u001b";
const recorded = (event: AgentEvent): RecordedEvent => ({
  ...event,
  at: "",
  run_id: "r",
  node: "n",
});
const delta = (text: string): RecordedEvent => recorded({ type: "answer_delta", id: "a", text });
const SOURCE = {
  marker: 1,
  evidence_id: "e",
  title: "Loop",
  source: { kind: "file" as const, path: "docs/a.md", start_line: 3, end_line: 9 },
  label: "",
};

function result(answer: string, change: Partial<CorrectiveRagResult> = {}): CorrectiveRagResult {
  return {
    answer,
    citations: [],
    sources: [],
    passages: [],
    outcome: { status: "success", causes: [] },
    details: null,
    warnings: [],
    extra: {},
    messages: [],
    interrupts: [],
    ...change,
  };
}
/** @param told what of the details matters */
function details(told: object): CorrectiveRagResult["details"] {
  return JSON.parse(JSON.stringify({ mode: "search", marked: [], withdrawn: [], ...told }));
}
function printer(options: Partial<PrinterOptions> = {}, width?: number) {
  const written = { out: "", err: [] as string[] };
  const made = createAnswerPrinter({
    stream: false,
    explain: false,
    reasoner: "model",
    hasWeb: false,
    placeFor: asItIs,
    terminal: {
      out: (text) => (written.out += text),
      err: (line) => written.err.push(line),
      activity: () => undefined,
      width,
      rows: 20,
      outStyle: plain,
      errStyle: plain,
    },
    ...options,
  });
  return { ...made, written };
}

describe("printing an answer for people", () => {
  it("prints the tokens as they arrive, then the sources, then the status line", () => {
    const { onEvent, finish, written } = printer({ stream: true });
    onEvent(delta("It does "));
    onEvent(delta("so [1]."));
    finish(result("It does so [1].", { sources: [SOURCE] }));
    expect(written.out).toBe("It does so [1].\n\n[1] docs/a.md:3 Loop\n");
    expect(written.err).toEqual(["\nAnswered from 1 document"]);
  });

  it("prints only the final answer without streaming", () => {
    const { onEvent, finish, written } = printer();
    onEvent(delta("draft"));
    finish(result("final"));
    expect(written.out).toBe("final\n");
  });

  it("wipes a draft that did not pass the check off the screen", () => {
    const { onEvent, finish, written } = printer({ stream: true }, 40);
    onEvent(delta("Wrong it is, and longer than one line of the screen. Right."));
    finish(result("Right.", { details: details({ withdrawn: ["Wrong."] }) }));
    expect(written.out).toMatch(/\r\u001b\[1A\u001b\[JRight\.\n$/);
    expect(written.err).toEqual(["\nAnswered; one sentence was removed: no source supports this"]);
  });

  it("says so if a printed draft cannot be wiped", () => {
    const { onEvent, finish, written } = printer({ stream: true });
    onEvent(delta("Wrong. Right. "));
    finish(result("Right."));
    expect(written.out).toBe("Wrong. Right.\nRight.\n");
    expect(written.err[0]).toBe("The text above did not pass the check. The answer is:");
  });

  it("starts over after a draft was discarded", () => {
    const { onEvent, finish, written } = printer({ stream: true });
    onEvent(delta("first "));
    onEvent(recorded({ type: "answer_retracted", id: "a", reason: "ungrounded" }));
    onEvent(delta("second "));
    finish(result("second"));
    expect(written.out).toBe("first\nsecond\n");
    expect(written.err).toEqual(["The text above did not pass the check; searching again."]);
  });

  it("marks an uncertain sentence, with a word as well", () => {
    const { finish, written } = printer();
    finish(
      result("It is so [1]. It may be [1].", { details: details({ marked: ["It may be [1]."] }) }),
    );
    expect(written.out).toBe("It is so [1]. It may be [1]. (uncertain)\n");
    expect(written.err).toEqual(["\nAnswered; one sentence is uncertain (marked)"]);
  });

  it("finds an uncertain sentence whose citation stands before its full stop", () => {
    const { finish, written } = printer();
    finish(result("It may be [1].", { details: details({ marked: ["It may be."] }) }));
    expect(written.out).toBe("It may be [1]. (uncertain)\n");
  });

  it("prints rounds, grades and warnings with --explain only", () => {
    const graded = recorded({
      type: "rag_iteration",
      iteration: 0,
      eval_score: 0.4,
      took_ms: 1,
      label: "AMBIGUOUS",
      action: "REFINE",
      reasoning: "",
      thresholds: { correct: 0.7, incorrect: 0.3 },
      retriever_stats: [],
    });
    const told = (explain: boolean): string[] => {
      const { onEvent, finish, written } = printer({ explain });
      onEvent(graded);
      onEvent(recorded({ type: "warning", message: "careful" }));
      finish(result("So."));
      return written.err;
    };
    expect(told(false)).toEqual([]);
    expect(told(true)).toEqual([
      "· evidence graded AMBIGUOUS 0.40 (CORRECT from 0.7): searching for what is missing",
      "· warning: careful",
    ]);
  });

  const closest = {
    outcome: { status: "closest_passages" as const, causes: [] },
    passages: [
      {
        evidence_id: "e",
        source: { kind: "file" as const, path: "notes/x.md", start_line: 3 },
        headings: ["The ferry", "Fares"],
        text: "It leaves at nine. It costs four pounds.\n\n- bikes: one pound",
        best: [19, 40] as [number, number],
      },
    ],
  };

  it("prints the closest passages whole, by paths that open, their best sentence marked", () => {
    const { finish, written } = printer({ placeFor: (path) => `../${path}` });
    finish(result("These passages come closest.\n\n**1. The ferry** …", closest));
    expect(written.out).toBe(
      [
        "These passages come closest. The best sentence of each is between » and «.",
        "",
        "1  The ferry › Fares",
        "   ../notes/x.md:3",
        "",
        "   It leaves at nine. »It costs four pounds.«",
        "",
        "   - bikes: one pound",
        "",
      ].join("\n"),
    );
    expect(written.err.join()).not.toMatch(/found|no answer/iu);
  });

  it("keeps the closest passages within the width of the terminal", () => {
    const { finish, written } = printer({}, 30);
    finish(result("These passages come closest; none was confirmed.", closest));
    for (const line of written.out.split("\n")) expect(line.length).toBeLessThanOrEqual(30);
    const text = "Run it:\n\n```sh\nnpm run ask -- --json --profile signals\n```";
    const code = printer({}, 30);
    code.finish(
      result("Closest.", { ...closest, passages: [{ ...closest.passages[0]!, text, best: null }] }),
    );
    expect(code.written.out).toContain("   npm run ask -- --json --profile signals\n");
  });

  it.each([60, 80, 140])("breaks an answer of %i columns between words, as it streams", (width) => {
    const answer = `${"A file may have as much as 200 megabytes. ".repeat(6)}[1]`;
    const { onEvent, finish, written } = printer({ stream: true }, width);
    for (const piece of answer.match(/[^]{1,7}/g) ?? []) onEvent(delta(piece));
    finish(result(answer, { sources: [SOURCE] }));
    const [text = "", list] = written.out.split("\n\n");
    expect(text.replaceAll("\n", " ")).toBe(answer);
    expect(text.split("\n").length).toBeGreaterThan(1);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
    expect(list).toBe("[1] docs/a.md:3 Loop\n");
  });

  it("breaks no line of code, of a pipe, or shorter than the terminal", () => {
    const code = "Run:\n\n```sh\nnpm run ask -- --json --profile signals\n```\n\nThen read.";
    expect(wrapped(code, 20)).toBe(code);
    const poem = "roses are red\nviolets are blue\n";
    expect(wrapped(poem, 20)).toBe(poem);
    const long = "word ".repeat(100);
    expect(wrapped(long)).toBe(long);
  });

  it("goes on under the text of a list item", () => {
    expect(wrapped("- one two three\n  - four five six", 12)).toBe(
      "- one two\n  three\n  - four\n    five six",
    );
  });

  it("shows how a question was understood, without --explain, too", () => {
    const { onEvent, written } = printer();
    const rewritten = { type: "question_rewritten", by: "rule" } as const;
    onEvent(recorded({ ...rewritten, question: "So?", standalone_question: "So?" }));
    expect(written.err).toEqual([]);
    onEvent(recorded({ ...rewritten, question: "Why?", standalone_question: "Why? It sank?" }));
    expect(written.err).toEqual(["· understood as: Why? It sank?"]);
  });

  it("suggests next steps after an abstention", () => {
    const { finish, written } = printer({ reasoner: "embedded" });
    finish(
      result("I cannot say.", {
        outcome: { status: "abstained", causes: ["insufficient_evidence", "web_unavailable"] },
      }),
    );
    expect(written.err.join("\n")).toMatch(
      /^\nWhat you can do:\n[\s\S]*ingest PATH[\s\S]*TAVILY_API_KEY/,
    );
  });

  it("names commands as they are typed, in a clone and elsewhere", () => {
    const hints = "add some: corrective-rag ingest PATH, or corrective-rag doctor";
    expect(asTyped(hints, "node scripts/run.js ask")).toBe(
      "add some: npm run ingest -- PATH, or npm run doctor",
    );
    expect(asTyped(hints, "")).toBe(hints);
    const colored = `  ${ESC}[2mcorrective-rag ask "Why?"${ESC}[22m`;
    expect(asTyped(colored, "node scripts/run.js ask")).toContain('[2mnpm run ask -- "Why?"');
    expect(asTyped("sqlite:.corrective-rag/kb", "node scripts/run.js ask")).toContain("-rag/kb");
  });

  it("suggests nothing that would not help: documents after a failure", () => {
    const failed = printer();
    failed.finish(
      result("I could not answer: too long", {
        outcome: { status: "failed", causes: ["invalid_input"] },
      }),
    );
    expect(failed.written.err).toEqual(["\nNo answer: the question or a setting is not valid"]);
  });

  it("says what failed and where to look, even if there is an answer", () => {
    const { finish, written } = printer({ reasoner: "model" });
    finish(
      result("So.", {
        outcome: { status: "success", causes: ["model_error"] },
        warnings: ["The model failed: m at http://here could not be reached."],
      }),
    );
    expect(written.err).toEqual([
      "\nAnswered; the model failed",
      "warning: The model failed: m at http://here could not be reached.",
      "\nWhat you can do:",
      "  - check the settings: corrective-rag doctor",
    ]);
  });

  it("does not suggest a key after a denied web search", () => {
    const { finish, written } = printer({ hasWeb: true });
    finish(result("", { outcome: { status: "abstained", causes: ["web_unavailable"] } }));
    expect(written.err.join("\n")).toMatch(/search the web, too: --web on/);
    expect(written.err.join("\n")).not.toMatch(/TAVILY/);
  });

  it("keeps a source on one line, whatever its file name", () => {
    const source = { kind: "file" as const, path: `docs/a\n${ESC}[31mb.md`, start_line: 2 };
    const sources = [{ ...SOURCE, title: "T", source }];
    expect(sourceList({ answer: "", sources, citations: [], style: plain, placeFor: asItIs })).toBe(
      "[1] docs/a b.md:2 T",
    );
  });

  it("lets no document move the cursor or retitle the window", () => {
    expect(printable(`a${ESC}[2Jb\u0007c\u009bd\tе\n`)).toBe("abcd\tе\n");
    expect(printable("a\u202eb\u2066c\u2069d")).toBe("abcd");
    const { finish, written } = printer();
    finish(result(`${ESC}]0;owned\u0007text`));
    expect(written.out).not.toContain(ESC);
  });
});

describe("the status line", () => {
  const web = { kind: "web" as const, url: "https://example.org" };
  it.each<[Partial<CorrectiveRagResult>, string | undefined]>([
    [{ sources: [SOURCE, { ...SOURCE, marker: 2 }] }, "Answered from 1 document"],
    [{ sources: [SOURCE, { ...SOURCE, source: web }] }, "Answered from 1 document and 1 web page"],
    [
      { sources: [SOURCE], outcome: { status: "success", causes: ["max_iterations"] } },
      "Answered from 1 document",
    ],
    [
      { sources: [SOURCE], outcome: { status: "success", causes: ["model_error"] } },
      "Answered from 1 document; the model failed",
    ],
    [
      { sources: [SOURCE], details: details({ label: "ambiguous" }) },
      "Answered from 1 document; mixed evidence",
    ],
    [{ sources: [SOURCE], details: details({ label: "correct" }) }, "Answered from 1 document"],
    [{ outcome: { status: "abstained", causes: ["nothing_new"] } }, undefined],
    [{ outcome: { status: "closest_passages", causes: [] } }, undefined],
    [{ outcome: { status: "closest_passages", causes: ["web_error"] } }, "The web search failed"],
    [
      { outcome: { status: "failed", causes: ["invalid_input"] } },
      "No answer: the question or a setting is not valid",
    ],
    [{ outcome: { status: "failed", causes: [] } }, "No answer: the run failed"],
    [{ details: details({ mode: "chat" }) }, undefined],
  ])("of %j is %j", (change, line) => {
    const { outcome, ...rest } = result("", change);
    expect(statusOf({ outcome, result: rest })?.text).toBe(line);
  });

  it.each(OutcomeSchema.shape.causes.element.options)("has words for the cause %s", (cause) => {
    expect(causeText(cause)).not.toBe(cause.replaceAll("_", " "));
  });
});

describe("the course of a run", () => {
  it.each<[AgentEvent, string]>([
    [
      {
        type: "planned",
        iteration: 0,
        calls: [{ tool: "keyword_search", args: { query: "search again" } }],
      },
      'searching: keyword_search "search again"',
    ],
    [
      {
        type: "planned",
        iteration: 1,
        calls: [
          { tool: "web_search", args: { query: "q" } },
          { tool: "x", args: {} },
        ],
      },
      'searching again: web_search "q", x',
    ],
    [
      {
        type: "rag_iteration",
        iteration: 0,
        eval_score: 0.8249,
        took_ms: 1,
        label: "CORRECT",
        action: "GENERATE",
        reasoning: "",
        retriever_stats: [],
      },
      "evidence graded CORRECT 0.82: the search ends",
    ],
    [
      { type: "tool_call", iteration: 0, tool: "t", args: {}, status: "ok", count: 1, took_ms: 1 },
      "t: 1 found",
    ],
    [
      {
        type: "tool_call",
        iteration: 0,
        tool: "t",
        args: {},
        status: "error",
        count: 0,
        took_ms: 1,
        error: "no\nway",
      },
      "t failed: no way",
    ],
    [{ type: "warning", message: "careful" }, "warning: careful"],
    [
      {
        type: "graph_outcome",
        outcome: "insufficient_evidence",
        status: "abstained",
        causes: ["insufficient_evidence"],
        iterations: 1,
        took_ms: 1,
        answer: "I cannot say.",
        passages: [],
      },
      "ended: abstained; the evidence does not support an answer; corrections: 1",
    ],
    [
      {
        type: "question_rewritten",
        question: "and Germany?",
        standalone_question: "What is the capital of Germany?",
        by: "rule",
      },
      "understood as: What is the capital of Germany?",
    ],
    [{ type: "question_rewritten", question: "q", standalone_question: "q", by: "unchanged" }, ""],
  ])("tells %j", (event, line) => {
    expect(tellEvent(event)).toBe(line);
  });
});

describe("sources", () => {
  it("have places in a form that editors open", () => {
    expect(placeOf({ kind: "file", path: "a.md", start_line: 3, end_line: 3 })).toBe("a.md:3");
    expect(placeOf({ kind: "file", path: "a.pdf", page: 4 })).toBe("a.pdf, page 4");
    expect(placeOf({ kind: "file", path: "a.txt" })).toBe("a.txt");
    const url = "https://example.org";
    expect(placeOf({ kind: "web", url })).toBe(url);
    expect(placeOf({ kind: "web", url, page: 3 })).toBe("https://example.org, page 3");
    expect(placeOf({ kind: "tool", path: "calculator" })).toBe("calculator");
  });

  it("are listed by number", () => {
    const source = (marker: number, path: string) => ({
      marker,
      evidence_id: path,
      title: "",
      source: { kind: "file" as const, path },
      label: "",
    });
    const listed = (sources: ReturnType<typeof source>[]): string =>
      sourceList({ answer: "", sources, citations: [], style: plain, placeFor: asItIs });
    expect(listed([source(2, "b"), source(1, "a")])).toBe("[1] a\n[2] b");
    expect(listed([])).toBe("");
  });

  it("are quoted unless the answer repeats the quote, with a path that opens", () => {
    const quoted = (answer: string): string =>
      sourceList({
        answer,
        sources: [SOURCE],
        citations: [{ marker: 1, quote: "It searches again." }],
        style: plain,
        placeFor: (path) => `../${path}`,
      });
    expect(quoted("It does [1].")).toBe("[1] ../docs/a.md:3 Loop\n    “It searches again.”");
    expect(quoted("**It searches** again. [1]")).toBe("[1] ../docs/a.md:3 Loop");
  });
});

describe("color and progress", () => {
  it("uses the colors that a terminal has; Node knows NO_COLOR and dumb ones", () => {
    const terminal = (bits: number) =>
      Object.assign(new PassThrough(), { isTTY: true, getColorDepth: () => bits });
    expect(styleFor(terminal(4)).bold("x")).toBe(`${ESC}[1mx${ESC}[22m`);
    expect(styleFor(terminal(1)).bold("x")).toBe("x");
  });

  beforeEach(() => {
    process.env["TERM"] = "xterm";
  });

  it("shows progress on one line of a terminal, at a limited rate, and wipes it", () => {
    const written: string[] = [];
    let now = 0;
    const bar = createProgressBar(
      { isTTY: true, columns: 60, write: (text) => written.push(text) },
      () => now,
    );
    bar.update(1, 4, "a.md");
    bar.update(2, 4, "b.md");
    now = 1000;
    bar.update(3, 4, "c.md");
    bar.update(4, 4, "done");
    bar.end();
    expect(written.map((text) => text.replace(`\r${ESC}[2K`, ""))).toEqual([
      "1/4 a.md",
      "3/4 c.md",
      "4/4 done",
      "",
    ]);
  });

  it("writes a line every ten seconds without a terminal, or on a dumb one", () => {
    process.env["TERM"] = "dumb";
    for (const isTTY of [true, false]) {
      const written: string[] = [];
      let now = 0;
      const bar = createProgressBar({ isTTY, write: (text) => written.push(text) }, () => now);
      bar.update(1, 40, "a.md");
      now = 11_000;
      bar.update(12, 40, "b.md");
      bar.update(13, 40, "c.md");
      bar.end();
      expect(written).toEqual(["12/40 b.md\n"]);
    }
  });
});

/** Sources that return what was recorded: a knowledge base and a web search provider for one question each. */
import { z } from "zod";
import { UserError } from "../src/support/errors.js";
import {
  KnowledgeBaseError,
  type KnowledgeBase,
  type Passage,
} from "../src/retrieval/knowledge-base.js";
import { sentences } from "../src/text/sentences.js";
import type { WebSearchProvider } from "../src/web/search-provider.js";

const questionSchema = z.object({
  id: z.string(),
  question: z.string(),
  answers: z.array(z.string()),
  kb: z.string(),
  web: z.string(),
});

/** A question with what a knowledge base and a web search returned for it. */
export type WebQuestion = z.infer<typeof questionSchema>;

/** @throws UserError with the line that is wrong */
export function readWebSet(text: string, file: string): WebQuestion[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const parsed = questionSchema.safeParse(parseJson(line));
    if (parsed.success) return [parsed.data];
    throw new UserError(
      `${file}, line ${index + 1}, is no recorded question`,
      'each line is {"id", "question", "answers": [], "kb", "web"}',
      1,
    );
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** About the length of a chunk. */
const PASSAGE_CHARACTERS = 1_000;

/** Returns all of the recorded text for any query, in its order. */
export function recordedKnowledgeBase(text: string): KnowledgeBase {
  const passages = passagesOf(text);
  return {
    name: "recorded",
    modes: ["keyword"],
    search: (mode, { query, limit }) => {
      if (mode !== "keyword")
        return Promise.reject(
          new KnowledgeBaseError(`recorded passages cannot be searched by ${mode}`),
        );
      const hits = query.trim() === "" ? [] : passages.slice(0, limit);
      return Promise.resolve(
        hits.map((passage, rank) => ({
          passage,
          scores: [{ value: 1 / (rank + 1), scale: "bm25" as const, by: "recorded" }],
        })),
      );
    },
    documents: () => Promise.resolve([]),
    passagesOf: () => Promise.resolve([]),
    version: () => Promise.resolve("recorded"),
    stats: () =>
      Promise.resolve({ documents: passages.length === 0 ? 0 : 1, passages: passages.length }),
    close: () => Promise.resolve(),
  };
}

/** Blocks are parted by two blanks; a short one without an end is the title of what follows. */
function passagesOf(text: string): Passage[] {
  const passages: Passage[] = [];
  let title = "";
  for (const block of text.split(/\s{2,}|\n/u)) {
    const trimmed = block.trim();
    if (trimmed === "") continue;
    if (trimmed.length < 80 && !/[.!?)"”]$/u.test(trimmed)) {
      title = trimmed;
      continue;
    }
    for (const part of packed(trimmed)) {
      passages.push({
        id: `recorded-${passages.length}`,
        text: part,
        title,
        path: `recorded/${passages.length}.txt`,
        kind: "text",
      });
    }
  }
  return passages;
}

function packed(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let end = 0;
  for (const sentence of sentences(text)) {
    if (sentence.end - start > PASSAGE_CHARACTERS && end > start) {
      parts.push(text.slice(start, end).trim());
      start = end;
    }
    end = sentence.end;
  }
  parts.push(text.slice(start).trim());
  return parts.filter((part) => part !== "");
}

/**
 * Addresses end in a reserved name, which fetching refuses, so that nothing is asked of the network. Results are parted by " ; " and begin with their title; those of one title are one result.
 */
export function recordedWeb(text: string): WebSearchProvider {
  const pages = new Map<string, string[]>();
  for (const entry of text.split(/\s;\s/u)) {
    const match = /^([^:]{1,120}): (.+)$/su.exec(entry.trim());
    const title = match?.[1]?.trim() ?? "";
    const body = (match?.[2] ?? entry).trim();
    if (body !== "") pages.set(title, [...(pages.get(title) ?? []), body]);
  }
  const results = [...pages].map(([title, texts], index) => ({
    title,
    url: `https://recorded.example/${index}`,
    text: texts.join("\n"),
    provider: "recorded",
  }));
  return { name: "recorded", search: ({ limit }) => Promise.resolve(results.slice(0, limit)) };
}

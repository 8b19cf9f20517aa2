/** The two judges that cost no call, on twenty passages that were never seen before: what `bench graph` says of the parts. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { judgeEvidence } from "../src/grading/judge/judge.js";
import { judgeBySignals } from "../src/grading/signals.js";
import { eachSentence } from "../src/text/sentences.js";
import { latencyOf, type Latency } from "./latency.js";
import { timed, type Took } from "./timed.js";

export interface PartsReport {
  /** Embedded judge, 20 passages, in ms: by the clock, and processor time of all threads. */
  judge_20: Latency;
  judge_20_cpu: Latency;
  /** Signals, 20 passages, likewise. */
  signals_20: Latency;
  signals_20_cpu: Latency;
}

const PASSAGES = 20;
const WORDS = 100;
const WARM_UP = 30;

/** @param folder of Markdown files, whose sentences are put together anew for each set */
export async function measureParts({
  folder,
  questions,
  rounds,
}: {
  folder: string;
  questions: readonly string[];
  rounds: number;
}): Promise<PartsReport> {
  const sentences = await sentencesIn(folder);
  const random = generator();
  // One after the other: a profile asks one of the two, and each should pay for its own garbage only.
  const run = async (judge: (question: string, passages: Item[]) => unknown): Promise<Took[]> => {
    const took: Took[] = [];
    for (let n = 0; n < rounds + WARM_UP; n++) {
      const question = questions[n % questions.length] ?? "";
      const passages = freshSet(sentences, random);
      const one = await timed(async () => judge(question, passages));
      if (n >= WARM_UP) took.push(one);
    }
    return took;
  };
  const judged = await run((question, passages) => judgeEvidence({ question, passages }));
  const signalled = await run((question, evidence) => judgeBySignals({ question, evidence }));
  const wall = (times: readonly Took[]): Latency =>
    latencyOf(times.map(({ wallInMs }) => wallInMs));
  const cpu = (times: readonly Took[]): Latency => latencyOf(times.map(({ cpuInMs }) => cpuInMs));
  return {
    judge_20: wall(judged),
    judge_20_cpu: cpu(judged),
    signals_20: wall(signalled),
    signals_20_cpu: cpu(signalled),
  };
}

/** A sentence with its length, counted once: what the bench itself throws away would be collected on the account of what it measures. */
interface Counted {
  text: string;
  words: number;
}

async function sentencesIn(folder: string): Promise<Counted[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".md")).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts
    .flatMap((text) =>
      [...eachSentence(text)].map((sentence) => ({
        text: sentence.text,
        words: sentence.text.split(/\s+/u).length,
      })),
    )
    .filter(({ words }) => words > 4);
}

type Item = Parameters<typeof judgeBySignals>[0]["evidence"][number];

/** Twenty passages of about a hundred words. No two are the same, so that nothing is remembered of a passage as a whole. */
function freshSet(sentences: readonly Counted[], random: () => number): Item[] {
  return Array.from({ length: PASSAGES }, (_, position) => {
    const chosen: string[] = [];
    for (let words = 0; words < WORDS;) {
      const sentence = sentences[Math.floor(random() * sentences.length)] ?? {
        text: "nothing at all to be found here",
        words: 7,
      };
      chosen.push(sentence.text);
      words += sentence.words;
    }
    return {
      id: String(position),
      title: (chosen[0] ?? "").slice(0, 40),
      text: chosen.join(" "),
      scores: [{ value: 0.5, scale: "rerank", by: "bench" }],
    };
  });
}

/** A linear congruential generator (Numerical Recipes), in 0–1: the same sets at each run. */
function generator(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

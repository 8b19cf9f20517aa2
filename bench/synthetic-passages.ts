/** Made-up passages whose words are as unevenly spread as those of a language (Zipf), the same at each run. */
import type { Passage } from "../src/retrieval/knowledge-base.js";

const DEPARTMENTS = ["hr", "it", "legal", "sales"];
/** Passed by four in ten of the passages that its caller may see. */
export const SYNTHETIC_FILTER = "department in [hr, legal] and not year in [2012, 2013, 2014]";
export const SYNTHETIC_PRINCIPAL = { id: "anna", groups: ["hr"] };

const VOCABULARY = 100_000;
const WORDS = 100;

/** Batches of passages of about 100 words. */
export function* syntheticPassages(count: number, batch: number): Generator<Passage[]> {
  const random = generator(1);
  for (let start = 0; start < count; start += batch) {
    yield Array.from({ length: Math.min(batch, count - start) }, (_, offset): Passage => {
      const number = start + offset;
      const text = Array.from({ length: WORDS - 10 + Math.floor(random() * 20) }, () =>
        zipfWord(random),
      ).join(" ");
      return {
        id: `p${number}`,
        path: `synthetic/${number}.txt`,
        kind: "text",
        title: `${zipfWord(random)} ${zipfWord(random)}`,
        text,
        metadata: {
          department: DEPARTMENTS[number % DEPARTMENTS.length] ?? "",
          year: 2010 + (number % 17),
          ...(number % 3 === 0 && { groups: [DEPARTMENTS[number % 2] ?? ""] }),
        },
      };
    });
  }
}

/** Questions of three to eight words, drawn from the same distribution, function words left out as a person's keywords would. */
export function syntheticQueries(count: number): string[] {
  const random = generator(2);
  return Array.from({ length: count }, () =>
    Array.from({ length: 3 + Math.floor(random() * 6) }, () => zipfWord(random, 50)).join(" "),
  );
}

/** Rank r with a probability proportional to 1/r, by inversion of the logarithm. Ranks below `from` are left out. */
function zipfWord(random: () => number, from = 1): string {
  const rank = Math.floor(from * Math.exp(random() * Math.log(VOCABULARY / from)));
  return wordOf(rank);
}

/** A pronounceable word for each rank; frequent words are short. */
function wordOf(rank: number): string {
  let word = "";
  for (let rest = rank + 20; rest > 0; rest = Math.floor(rest / 100))
    word += (CONSONANTS[rest % 20] ?? "") + (VOWELS[Math.floor(rest / 20) % 5] ?? "");
  return `${word}k`;
}

const CONSONANTS = Array.from("bcdfghjklmnpqrstvwxz");
const VOWELS = Array.from("aeiou");

/** A linear congruential generator (Numerical Recipes), in 0–1. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

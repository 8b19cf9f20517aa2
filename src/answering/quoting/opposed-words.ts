/**
 * Words that exclude one another: of two opposites, or of two members of one kind, a sentence that has the one does not answer a question that has
 * the other. Common words, by hand from general knowledge of the language. Wider than the opposites that a claim is checked by: there one wrong
 * pair calls a right answer contradicted, here it takes a little of the trust in a sentence.
 */
import { analyse } from "../../text/analyse.js";
import words from "./opposed-words.json" with { type: "json" };

/** Terms by what they exclude. */
let opposites: ReadonlyMap<string, ReadonlySet<string>> | undefined;
let kinds: ReadonlyMap<string, readonly ReadonlySet<string>[]> | undefined;

const termOf = (word: string): string => analyse(word)[0]?.term ?? word;

function readOpposites(): ReadonlyMap<string, ReadonlySet<string>> {
  const read = new Map<string, Set<string>>();
  for (const pair of words.opposites.split(" ")) {
    const [left = "", right = ""] = pair.split("/").map(termOf);
    // Stemming makes one of some pairs.
    if (left === right) continue;
    read.set(left, (read.get(left) ?? new Set()).add(right));
    read.set(right, (read.get(right) ?? new Set()).add(left));
  }
  return read;
}

function readKinds(): ReadonlyMap<string, readonly ReadonlySet<string>[]> {
  const read = new Map<string, Set<string>[]>();
  for (const line of words.kinds) {
    const kind = new Set(line.split(" ").map(termOf));
    for (const term of kind) read.set(term, [...(read.get(term) ?? []), kind]);
  }
  return read;
}

/** An opposite of the term, both as the analyser makes them, is among `others`. */
export function hasOpposite(term: string, others: ReadonlySet<string>): boolean {
  return [...((opposites ??= readOpposites()).get(term) ?? [])].some((other) => others.has(other));
}

/** Another of the term's kind (another month, country, metal) is among `others`. */
export function hasSibling(term: string, others: ReadonlySet<string>): boolean {
  return ((kinds ??= readKinds()).get(term) ?? []).some((kind) =>
    [...kind].some((other) => other !== term && others.has(other)),
  );
}

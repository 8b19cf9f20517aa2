import { describe, expect, it } from "@jest/globals";
import { assembleWindow } from "../../src/answering/context-window.js";
import { extractAnswer } from "../../src/answering/quoting/extract-answer.js";
import { hasOpposite, hasSibling } from "../../src/answering/quoting/opposed-words.js";
import { hasPrefixedOpposite, rivalWords } from "../../src/answering/quoting/rival-words.js";
import { wholePassages } from "../../src/answering/strips.js";
import { contentTerms } from "../../src/text/analyse.js";
import { passage } from "./passage.js";

async function confidence(question: string, text: string): Promise<number> {
  const evidence = [passage("text", "Text", text)];
  const window = await assembleWindow({ evidence, strips: wholePassages(evidence) });
  return extractAnswer({ question, window, evidence }).confidence;
}

describe("a question that is an answering sentence with one word changed is trusted less", () => {
  const machine =
    "The Turing machine is a theoretical device that manipulates symbols contained on a strip of tape. It was described in 1936.";
  it.each([
    [
      "a denial",
      "What does not manipulate symbols contained on a strip of tape?",
      "What does manipulate symbols contained on a strip of tape?",
      machine,
    ],
    [
      "another year",
      "What was described in 1947 as a theoretical device?",
      "What was described in 1936 as a theoretical device?",
      machine,
    ],
    [
      "before for after",
      "How many networks were developed after the introduction of X.25?",
      "How many networks were developed before the introduction of X.25?",
      "Before the introduction of X.25 about twenty different networks had been developed.",
    ],
    [
      "the opposite by a prefix",
      "What makes the bounds dependent of the model?",
      "What makes the bounds independent of the model?",
      "A careful definition makes the bounds independent of the model.",
    ],
    [
      "the opposite",
      "What did the parliament reject in 1701?",
      "What did the parliament accept in 1701?",
      "In 1701 the parliament accepted the Act of Settlement.",
    ],
    [
      "another of a kind",
      "Who led the army in February?",
      "Who led the army in August?",
      "In August the army was led by Rollo.",
    ],
    [
      "roles exchanged",
      "Who replaced the Normans as the ruling class?",
      "Who replaced the Saxons as the ruling class?",
      "The Normans replaced the Saxons as the ruling class of England.",
    ],
  ])("%s", async (_, changed, original, text) => {
    expect(await confidence(changed, text)).toBeLessThan(await confidence(original, text));
  });
});

describe("opposites and kinds", () => {
  const terms = (text: string): Set<string> => new Set(contentTerms(text));
  const [term = ""] = contentTerms("accepted");
  it("knows opposites whatever their ending, and only where they stand", () => {
    expect(hasOpposite(term, terms("it was rejected"))).toBe(true);
    expect(hasOpposite(term, terms("it was accepted"))).toBe(false);
  });
  it("knows others of a kind, but not the word itself", () => {
    expect(hasSibling("iron", terms("a kettle of copper"))).toBe(true);
    expect(hasSibling("iron", terms("an iron kettle"))).toBe(false);
    expect(hasSibling("kettle", terms("a kettle of copper"))).toBe(false);
  });
});

describe("words that exclude one another", () => {
  const words = (text: string): Set<string> => new Set(text.toLowerCase().split(" "));
  it("tells an exchange from a lack", () => {
    expect(rivalWords(words("the first leader"), words("the last leader"))).toEqual({
      lacking: 0,
      exchanged: 1,
    });
    expect(rivalWords(words("the first leader"), words("a leader"))).toEqual({
      lacking: 1,
      exchanged: 0,
    });
    expect(rivalWords(words("the first leader"), words("the first leader"))).toEqual({
      lacking: 0,
      exchanged: 0,
    });
  });
  it("knows opposites by their prefix, in both directions", () => {
    expect(hasPrefixedOpposite(words("a formal notion"), words("an informal notion"))).toBe(true);
    expect(hasPrefixedOpposite(words("an unsafe bridge"), words("a safe bridge"))).toBe(true);
    expect(hasPrefixedOpposite(words("a safe bridge"), words("a safe bridge"))).toBe(false);
  });
});

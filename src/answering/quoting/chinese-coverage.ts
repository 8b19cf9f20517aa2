/**
 * How much of a Chinese question a sentence speaks of. The models of an answer were fitted on English, and in Chinese hardly any question looks
 * too unlike an answer to them; but words are not inflected there, so that what a sentence does not mention can be seen.
 */
import { analyse } from "../../text/analyse.js";
import type { Candidate } from "./answer-candidates.js";
import type { QuestionFocus } from "./question-focus.js";
import type { Ranked } from "./rank-sentences.js";

const HAN = /\p{Script=Han}/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** What asks, and what only names the kind of answer: the answer need not repeat it. */
const ASKING =
  /请问|什么时候|什麼時候|为什么|為什麼|星期几|周几|什么|什麼|甚麼|怎么样?|怎麼樣?|怎样|怎樣|如何|哪一?[里裡儿兒些个個年天位种種]|哪|多少钱?|多少錢?|几[个個次名位点點月号號岁歲天年]?|幾[個次名位點月號歲天年]?|多[久长長高宽寬深远遠重大快]|谁|誰|吗|嗎|呢|价格|价钱|费用|重量|高度|长度|宽度|深度|年龄|速度|温度|面积|时间|比例|数量|人数|名字|地址|地点|位置|原因|方法|可以|能够?|应该|需要|必须|是不是|有没有|才能/gu;

/** Of the question's words the share that a sentence must speak of. */
const ENOUGH = 0.5;

/** A sentence that bears on the question goes before a likelier one that does not, if it is at least this likely compared with it. */
const BEARING_SHARE = 0.1;

/**
 * In Chinese, puts first what speaks of the question rather than what its title alone makes likely.
 *
 * @returns undefined when nothing that is likely enough bears on the question
 */
export function preferBearing(ranked: Ranked, focus: QuestionFocus): Ranked | undefined {
  if (!isChinese(focus)) return ranked;
  const [best] = ranked;
  const bearing = ranked
    .filter(({ probability }) => probability >= BEARING_SHARE * best.probability)
    .map((sentence) => ({ sentence, ...chineseCoverage(sentence.measured.candidate, focus) }))
    .filter(({ bears }) => bears);
  // Of two that bear on it alike, the likelier one.
  const [chosen] = bearing.some(({ own }) => own > 0)
    ? bearing.filter(({ own }) => own > 0)
    : bearing;
  return chosen && [chosen.sentence, ...ranked.filter((other) => other !== chosen.sentence)];
}

interface ChineseCoverage {
  /** The sentence speaks of enough of the question, its title included, and of something that the title does not say. */
  bears: boolean;
  /** 0–1, without the title. */
  own: number;
}

/** Whether coverage can be told: the question is Chinese, not Japanese. */
function isChinese({ question }: QuestionFocus): boolean {
  return HAN.test(question) && !KANA.test(question);
}

/** Measures one sentence. A word that is there in part ("设计" of "设计师", "创立" for "创办") counts half. */
function chineseCoverage(
  { text, titleTerms }: Candidate,
  { question }: QuestionFocus,
): ChineseCoverage {
  const words = telling(question);
  if (words.length === 0) return { bears: true, own: 1 };
  const title = [...titleTerms].join("");
  const own = words.map((word) => within(word, text));
  const whole = words.map((word, index) => Math.max(own[index] ?? 0, within(word, title)));
  const beyondTitle = words.flatMap((word, index) =>
    within(word, title) === 1 ? [] : [own[index] ?? 0],
  );
  return {
    bears: mean(whole) > ENOUGH && (beyondTitle.length === 0 || mean(beyondTitle) > 0),
    own: mean(own),
  };
}

function telling(question: string): string[] {
  return analyse(question.replace(ASKING, " "))
    .filter(({ stop, text }) => !stop && HAN.test(text) && text.length > 1)
    .map(({ text }) => text);
}

function within(word: string, text: string): number {
  if (text.includes(word)) return 1;
  return Array.from(word).some((character) => text.includes(character)) ? 0.5 : 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

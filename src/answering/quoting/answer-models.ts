/** The three small models behind the embedded answer, fitted by `npm run eval`'s own code to questions with known answers. */
import { LogisticModelSchema } from "../../grading/logistic.js";
import answerabilityWeights from "./answerability-weights.json" with { type: "json" };
import spanWeights from "./span-weights.json" with { type: "json" };
import sentenceWeights from "./sentence-weights.json" with { type: "json" };

/** Is this sentence the answer? Over `SENTENCE_FEATURES`. */
export const SENTENCE_MODEL = LogisticModelSchema.parse(sentenceWeights);
/** Is the best sentence really an answer? Over `ANSWERABILITY_FEATURES`. */
export const ANSWERABILITY_MODEL = LogisticModelSchema.parse(answerabilityWeights);
/** Which stretch of the best sentences is the short answer? Chooses by softmax, over `SPAN_FEATURES`. */
export const SPAN_MODEL = LogisticModelSchema.parse(spanWeights);

/**
 * Checks an answer against its evidence.
 *
 * @packageDocumentation
 */
export { verifyAnswer } from "../answering/verify-answer.js";
export type { CheckedSentence, Verification } from "../answering/verify-answer.js";
export type { GuardCutoffs } from "../answering/claim-bands.js";
export type { Citation, ClaimStatus } from "../state/answer.js";
export type { Evidence, GradablePassage } from "../state/evidence.js";

/**
 * Grades the evidence of any retrieval.
 *
 * @packageDocumentation
 */
export { gradeEvidence, readerJudge } from "../grading/grade-evidence.js";
export type { GradedEvidence, GradeEvidenceInput } from "../grading/grade-evidence.js";
export { decide } from "../grading/decide.js";
export { PROFILES as profiles } from "../grading/profiles.js";
export type { AggregateKind, Profile } from "../grading/profiles.js";
export type { Judge, Judgement, JudgeInput, JudgeKind } from "../grading/judgement.js";
export type { Thresholds } from "../settings/run-settings.js";
export type { Evidence, GradablePassage } from "../state/evidence.js";
export type { Evaluation, EvidenceLabel, GraderAction } from "../state/verdict.js";

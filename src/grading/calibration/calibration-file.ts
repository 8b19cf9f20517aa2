import { readFileSync } from "node:fs";
import { z } from "zod";
import { UserError } from "../../settings/user-error.js";
import type { ProfileName } from "../../settings/run-settings.js";
import { JudgeModelSchema, SHIPPED_JUDGE } from "../judge/model.js";
import type { JudgeModel } from "../judge/model.js";

/** Thresholds as the settings take them. */
export interface FittedCutOffs {
  abstainBelow: number;
  profiles: Partial<Record<ProfileName, { correct: number; incorrect: number }>>;
}

/** The profiles that the set's probability stands for; `signals` has signals of its own. */
const PROFILES_BY_SET: readonly ProfileName[] = [
  "adaptive",
  "holistic",
  "adequacy",
  "three_action",
];

/** The judge to use and the cut-offs that belong to it: of the named file, or as shipped. Throws `UserError` where the file is not one of ours. */
export function loadJudge(file?: string): { judge: JudgeModel; thresholds: FittedCutOffs } {
  const judge = file === undefined ? SHIPPED_JUDGE : readCalibrationFile(file);
  const { correct, incorrect, abstainBelow } = judge.thresholds;
  return {
    judge,
    thresholds: {
      abstainBelow,
      profiles: Object.fromEntries(
        PROFILES_BY_SET.map((profile) => [profile, { correct, incorrect }]),
      ),
    },
  };
}

/** Reads and checks a file made by `calibrate`. */
export function readCalibrationFile(file: string): JudgeModel {
  const hint =
    "make one with: corrective-rag calibrate LABELS.jsonl --out FILE, and name it in CALIBRATION_FILE";
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UserError(
      `cannot read the calibration file ${file}: ${error instanceof Error ? error.message : String(error)}`,
      hint,
    );
  }
  const parsed = JudgeModelSchema.safeParse(value);
  if (!parsed.success)
    throw new UserError(
      `${file} is no calibration file: ${z.prettifyError(parsed.error).split("\n")[0] ?? ""}`,
      hint,
    );
  return parsed.data;
}

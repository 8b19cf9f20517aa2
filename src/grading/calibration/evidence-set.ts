import type { PassageInput } from "../judge/passage.js";

/** A labelled question with its passages, as the evidence format has it. */
export interface LabelledSet {
  id: string;
  question: string;
  answerable: boolean;
  passages: readonly (PassageInput & { relevant: boolean })[];
}

/** Sets that come from one source. What is fitted on several families must hold on one that was left out. */
export interface Family {
  name: string;
  sets: readonly LabelledSet[];
}

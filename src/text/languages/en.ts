import type { Language } from "./language.js";

export const ENGLISH: Language = {
  code: "en",
  functionWords:
    "the of and to in is was are were a an for on with as by at from that this it which " +
    "who what when where how did does do has have had be been not or but their its his " +
    "her they he she you we can will would",
};

import type { Language } from "./language.js";

export const ENGLISH: Language = {
  code: "en",
  questionWords: {
    person: ["who", "whom", "whose", "which person", "what actor", "what actress", "what singer"],
    place: ["where", "what city", "which city", "what country", "which country", "what state"],
    date: ["when", "what year", "which year", "what date", "what day", "how old"],
    number: ["how many", "how much", "how long", "how far", "how tall", "how high", "how big"],
    other: ["what", "which", "why", "how"],
  },
  functionWords:
    "the of and to in is was are were a an for on with as by at from that this it which " +
    "who what when where how did does do has have had be been not or but their its his " +
    "her they he she you we can will would",
  negation: ["not", "no", "never", "none", "without", "cannot", "neither", "nor", "nothing"],
};

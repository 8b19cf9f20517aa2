import type { Language } from "./language.js";

export const FRENCH: Language = {
  code: "fr",
  questionWords: {
    person: ["qui"],
    place: ["où", "dans quelle ville", "dans quel pays"],
    date: ["quand", "en quelle année", "quelle année"],
    number: ["combien"],
    other: ["que", "quoi", "quel", "quelle", "quels", "quelles", "comment", "pourquoi"],
  },
  functionWords:
    "le la les l un une des du de d et ou est sont était a ont en dans au aux par pour " +
    "sur avec que qui quoi quel quelle quels quelles il elle ils elles ce cette ces se s " +
    "ne pas plus comment où quand combien pourquoi",
  negation: ["ne", "pas", "jamais", "sans", "aucun", "aucune", "non"],
};

import type { Language } from "./language.js";

export const FRENCH: Language = {
  code: "fr",
  functionWords:
    "le la les l un une des du de d et ou est sont était a ont en dans au aux par pour " +
    "sur avec que qui quoi quel quelle quels quelles il elle ils elles ce cette ces se s " +
    "ne pas plus comment où quand combien pourquoi",
};

import type { Language } from "./language.js";

export const SPANISH: Language = {
  code: "es",
  questionWords: {
    person: ["quién", "quiénes"],
    place: ["dónde", "en qué ciudad", "en qué país"],
    date: ["cuándo", "en qué año"],
    number: ["cuánto", "cuánta", "cuántos", "cuántas"],
    other: ["qué", "cuál", "cuáles", "cómo", "por qué"],
  },
  functionWords:
    "el la los las un una unos unas de del y o en es son fue era por para con que qué se " +
    "su sus al como cómo cuál cuándo dónde quién lo le más no ha han está están a",
  negation: ["no", "nunca", "sin", "ningún", "ninguna", "ninguno", "jamás"],
};

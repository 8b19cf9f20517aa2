import type { Language } from "./language.js";

export const SPANISH: Language = {
  code: "es",
  functionWords:
    "el la los las un una unos unas de del y o en es son fue era por para con que qué se " +
    "su sus al como cómo cuál cuándo dónde quién lo le más no ha han está están a",
};

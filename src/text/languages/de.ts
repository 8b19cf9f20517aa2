import type { Language } from "./language.js";

export const GERMAN: Language = {
  code: "de",
  functionWords:
    "der die das den dem des ein eine einen einem einer und oder ist sind war waren wird " +
    "wurde wurden in im von vom zu zum zur mit auf für als auch an am aus bei nach sich " +
    "nicht es er sie wie was wer wo wann welche welcher welches welchem welchen viele hat hatte haben",
};

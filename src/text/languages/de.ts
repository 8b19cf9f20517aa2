import type { Language } from "./language.js";

export const GERMAN: Language = {
  code: "de",
  questionWords: {
    person: ["wer", "wem", "wen", "wessen"],
    place: ["wo", "woher", "wohin", "in welcher stadt", "in welchem land"],
    date: ["wann", "in welchem jahr"],
    number: ["wie viel", "wie viele", "wieviel", "wieviele", "wie hoch", "wie lang", "wie groß"],
    other: ["was", "welche", "welcher", "welches", "welchen", "welchem", "wie", "warum"],
  },
  functionWords:
    "der die das den dem des ein eine einen einem einer und oder ist sind war waren wird " +
    "wurde wurden in im von vom zu zum zur mit auf für als auch an am aus bei nach sich " +
    "nicht es er sie wie was wer wo wann welche welcher welches welchem welchen hat haben",
  negation: ["nicht", "kein", "keine", "keinen", "keiner", "nie", "niemals", "ohne"],
};

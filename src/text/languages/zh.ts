import type { Language } from "./language.js";

export const CHINESE: Language = {
  code: "zh",
  unspaced: true,
  questionWords: {
    person: ["谁", "哪位"],
    place: ["哪里", "哪儿", "在哪", "哪个城市", "哪个国家"],
    date: ["何时", "什么时候", "哪一年", "哪年"],
    number: ["多少", "几个", "多大", "多高", "多长"],
    other: ["什么", "哪个", "哪些", "为什么", "怎么", "如何"],
  },
  functionWords: "",
  negation: ["不", "没有", "未", "无"],
};

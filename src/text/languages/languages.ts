import { CHINESE } from "./zh.js";
import { ENGLISH } from "./en.js";
import { FRENCH } from "./fr.js";
import { GERMAN } from "./de.js";
import type { Language } from "./language.js";
import { SPANISH } from "./es.js";

export type { Language } from "./language.js";

/** The languages that were measured. */
export const LANGUAGES: readonly Language[] = [ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE];

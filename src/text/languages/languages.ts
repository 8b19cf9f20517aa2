import { ENGLISH } from "./en.js";
import { FRENCH } from "./fr.js";
import { GERMAN } from "./de.js";
import type { Language } from "./language.js";
import { SPANISH } from "./es.js";

export type { Language } from "./language.js";

/** Languages in Latin letters that were measured; others are told by their script. */
export const LANGUAGES: readonly Language[] = [ENGLISH, GERMAN, FRENCH, SPANISH];

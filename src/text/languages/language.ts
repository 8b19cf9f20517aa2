/** What the project knows of a language, as data. */
export interface Language {
  /** ISO 639-1. */
  readonly code: string;
  /** The commonest words, which tell the language apart, between blanks. */
  readonly functionWords: string;
}

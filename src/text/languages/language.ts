/** What the project knows of a language, as data. */
export interface Language {
  /** ISO 639-1. */
  readonly code: string;
  /** Written without blanks between words. */
  readonly unspaced?: boolean;
  /** Question words by what they ask for, lower-cased, without punctuation. */
  readonly questionWords: Readonly<
    Partial<Record<"person" | "place" | "date" | "number" | "other", readonly string[]>>
  >;
  /** The commonest words, which tell the language apart, between blanks. */
  readonly functionWords: string;
  /** Words of a denial. */
  readonly negation: readonly string[];
}

/**
 * The port through which evidence is read, with or without a language model: how likely passages
 * answer a question, how well evidence supports a claim, and which texts are alike.
 * Implementations: `trained` (a sentence encoder, a joint reader of question and passage, and small
 * logistic models, the default) and `lexical` (the same models without either).
 */

/** A text as the reader sees it. */
export interface ReadablePassage {
  readonly title: string;
  /** Headings above the text, outermost first. */
  readonly headings?: readonly string[];
  readonly text: string;
  /** The form and the start of each block of the text, as ingestion found them: `h0 p12 i80`. */
  readonly blocks?: string | undefined;
  /** Score of the hybrid search that found it, 0–1; estimated where it is absent. */
  readonly found?: number;
}

/** Returns a passage as it is embedded, and as the encoder was trained: "Title. Heading. Text". */
export function passageText({ title, headings = [], text }: ReadablePassage): string {
  const above = [title, ...headings].filter((part) => part !== "" && !text.startsWith(part));
  return [...above, text].join(". ");
}

/** How likely one passage answers the question. */
export interface PassageRelevance {
  /** A calibrated probability, 0–1. */
  readonly value: number;
  /** For explanations. */
  readonly signals: Readonly<Record<string, number>>;
}

/** How likely passages answer the question, together and one by one. */
export interface SetRelevance {
  /** A calibrated probability, 0–1; 0 for an empty set. */
  readonly value: number;
  /** In the order given. */
  readonly passages: readonly PassageRelevance[];
}

/** A passage cut into the units of which one may be the answer: sentences, items, rows, code. */
export interface UnitPassage extends ReadablePassage {
  /** In reading order, without overlaps; what may not be quoted is left out. */
  readonly units: readonly {
    /** Offsets into the passage's text, in UTF-16 code units. */
    readonly start: number;
    readonly end: number;
    /** As it is understood alone: plain, a row with its heads, an item with its intro. */
    readonly text: string;
    /** Headings of the passage that are above it, outermost first. */
    readonly headings?: readonly string[];
  }[];
}

/** Makes a passage of each unit, as it is understood alone. */
export function unitPassages({ title, headings = [], units }: UnitPassage): ReadablePassage[] {
  return units.map((unit) => ({
    title,
    headings: [...headings, ...(unit.headings ?? [])],
    text: unit.text,
  }));
}

/** What a reader says of a question and some passages, all of which it has seen together. */
export interface PassageReading {
  /** In the order given. */
  readonly passages: readonly {
    /** How likely the passage answers the question, 0–1. */
    readonly value: number;
    /** How likely each unit is the answer or part of it, 0–1, in the order given. */
    readonly units: readonly number[];
  }[];
  /** Indices of the passages, best first. */
  readonly order: readonly number[];
  /**
   * Calibrated probability that the best unit of the first passage answers the question; 0 without
   * any. An assertion needs it.
   */
  readonly confidence: number;
}

/** How well the evidence supports one claim, and where. */
export interface ClaimSupport {
  /** A calibrated probability, 0–1. */
  readonly value: number;
  /** The same by shared words alone; absent where `value` is that. */
  readonly words?: number;
  /**
   * Log-odds that the evidence says it too, where all its words occur there together: a dropped
   * "not" or two swapped names lower nothing else. Absent for other claims, and without a joint
   * reader.
   */
  readonly sense?: number;
  readonly signals: Readonly<Record<string, number>>;
  /** The sentence that supports it best, if any. */
  readonly best?: {
    /** Index of the evidence item. */
    readonly evidence: number;
    /** Offsets into its text. */
    readonly start: number;
    readonly end: number;
  };
}

/** Deterministic; `relevance`, `read` and `support` reject only when their signal aborts. */
export interface Reader {
  /** Shown and recorded: `trained`, `lexical`, or the name of your own. */
  readonly name: string;
  /** The embedding model behind `embed`; absent for a reader without vectors. */
  readonly model?: string;

  relevance(input: {
    readonly question: string;
    readonly passages: readonly ReadablePassage[];
    readonly signal?: AbortSignal;
  }): Promise<SetRelevance>;

  /** Says which passage answers, and which of its units is the answer. */
  read(input: {
    readonly question: string;
    readonly passages: readonly UnitPassage[];
    readonly signal?: AbortSignal;
  }): Promise<PassageReading>;

  /** One result for each claim, in the order given. */
  support(input: {
    readonly claims: readonly string[];
    readonly evidence: readonly ReadablePassage[];
    /** Its words need no support. */
    readonly question?: string;
    readonly signal?: AbortSignal;
    /** Once it is aborted, words alone decide, which takes no time. */
    readonly hurry?: AbortSignal;
  }): Promise<ClaimSupport[]>;

  /**
   * Returns unit vectors, in the order given; rejects if the runtime fails. Absent for a reader
   * without vectors.
   * @param kind for models that embed questions and passages differently
   */
  embed?(
    texts: readonly string[],
    signal?: AbortSignal,
    kind?: "question" | "passage",
  ): Promise<Float32Array[]>;

  /** Begins to load what the first question needs. */
  prepare?(): void;

  /** Takes vectors from an index, so that these passages need not be encoded again. */
  remember?(passages: readonly ReadablePassage[], vectors: readonly Float32Array[]): void;

  close(): Promise<void>;
}

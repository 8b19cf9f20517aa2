/**
 * The port through which evidence is read, with a language model or without one: how likely
 * passages answer a question, how well evidence supports a claim, and what texts are near each
 * other. Implementations: `trained` (a sentence encoder and two small logistic models, the
 * default) and `lexical` (the same models without the encoder).
 */

/** A text as the reader sees it. */
export interface ReadablePassage {
  readonly title: string;
  /** Headings above the text, outermost first. */
  readonly headings?: readonly string[];
  readonly text: string;
}

/**
 * The text of a passage as it is embedded, by the reader and by an index alike: "Title. Heading.
 * Text", as the encoder was trained on it.
 */
export function passageText({ title, headings = [], text }: ReadablePassage): string {
  const above = [title, ...headings].filter((part) => part !== "" && !text.startsWith(part));
  return [...above, text].join(". ");
}

/** How likely one passage answers the question. */
export interface PassageRelevance {
  /** A calibrated probability, 0–1. */
  readonly value: number;
  /** What it was computed from, by name; for explanations. */
  readonly signals: Readonly<Record<string, number>>;
}

/** How likely a set of passages answers the question, together and one by one. */
export interface SetRelevance {
  /** A calibrated probability, 0–1; 0 for an empty set. */
  readonly value: number;
  /** In the order given. */
  readonly passages: readonly PassageRelevance[];
}

/** How well the evidence supports one claim, and where. */
export interface ClaimSupport {
  /** A calibrated probability, 0–1. */
  readonly value: number;
  readonly signals: Readonly<Record<string, number>>;
  /** The place that supports it best; absent where nothing does. */
  readonly best?: {
    /** Index of the evidence item. */
    readonly evidence: number;
    /** Offsets into its text: `text.slice(start, end)` is the sentence. */
    readonly start: number;
    readonly end: number;
  };
}

/**
 * Reads evidence. Deterministic; `relevance` and `support` reject only when their signal aborts.
 */
export interface Reader {
  /** For people and records: `trained`, `lexical`, or the name of a user's own. */
  readonly name: string;
  /** Name of the embedding model behind `embed`; absent for a reader without vectors. */
  readonly model?: string;

  /**
   * @param unit what is compared: whole passages (default), or single sentences or strips of them
   */
  relevance(input: {
    readonly question: string;
    readonly passages: readonly ReadablePassage[];
    readonly unit?: "passage" | "sentence";
    readonly signal?: AbortSignal;
  }): Promise<SetRelevance>;

  /** One result for each claim, in the order given. */
  support(input: {
    readonly claims: readonly string[];
    readonly evidence: readonly ReadablePassage[];
    /** What was asked: its own words are nothing that a claim must prove. */
    readonly question?: string;
    readonly signal?: AbortSignal;
  }): Promise<ClaimSupport[]>;

  /**
   * Unit vectors, in the order given: their dot product is their cosine. Undefined for a reader
   * without vectors; rejects where its runtime fails.
   * @param kind what the texts are, for models that embed questions unlike passages
   */
  embed?(
    texts: readonly string[],
    signal?: AbortSignal,
    kind?: "question" | "passage",
  ): Promise<Float32Array[]>;

  /** Takes vectors that an index holds, so that these passages need not be encoded again. */
  remember?(passages: readonly ReadablePassage[], vectors: readonly Float32Array[]): void;

  close(): Promise<void>;
}

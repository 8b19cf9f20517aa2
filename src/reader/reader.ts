/**
 * The port through which evidence is read, with or without a language model: how likely passages
 * answer a question, how well evidence supports a claim, and which texts are alike. Implementations:
 * `trained` (a sentence encoder and small logistic models, the default) and `lexical` (the same
 * models without the encoder).
 */

/** A text as the reader sees it. */
export interface ReadablePassage {
  readonly title: string;
  /** Headings above the text, outermost first. */
  readonly headings?: readonly string[];
  readonly text: string;
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

/** How well the evidence supports one claim, and where. */
export interface ClaimSupport {
  /** A calibrated probability, 0–1. */
  readonly value: number;
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

/** Deterministic; `relevance` and `support` reject only when their signal aborts. */
export interface Reader {
  /** Shown and recorded: `trained`, `lexical`, or the name of your own. */
  readonly name: string;
  /** The embedding model behind `embed`; absent for a reader without vectors. */
  readonly model?: string;

  /** @param unit whole passages (default), or single sentences or strips */
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
    /** Its words need no support. */
    readonly question?: string;
    readonly signal?: AbortSignal;
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

  /** Takes vectors from an index, so that these passages need not be encoded again. */
  remember?(passages: readonly ReadablePassage[], vectors: readonly Float32Array[]): void;

  close(): Promise<void>;
}

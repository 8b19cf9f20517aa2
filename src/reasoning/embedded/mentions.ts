/** What a question names literally: files, folders, identifiers, line ranges. Pure. */

/** Endings that make a dotted word a file. `.js` is left out: Node.js and D3.js are no files unless a folder stands before them. */
const FILE_ENDING =
  "md|mdx|markdown|txt|rst|adoc|pdf|docx?|csv|tsv|jsonl?|html?|xml|ya?ml|toml|ini|cfg|conf|env|log|epub|ipynb|tex|sql|py|tsx?|jsx|mjs|cjs|java|go|rs|rb|php|cs|cpp|hpp|sh|ps1|kt|swift";
const PATH = new RegExp(
  `(?<![\\p{L}\\p{N}_./:@-])((?:\\.{0,2}/|~/)?(?:[\\p{L}\\p{N}_.@-]+/)*[\\p{L}\\p{N}_@-][\\p{L}\\p{N}_.@-]*\\.(?:${FILE_ENDING})|(?:[\\p{L}\\p{N}_.@-]+/)+[\\p{L}\\p{N}_.@-]+\\.js)(?![\\p{L}\\p{N}_/]|\\.\\p{L})`,
  "giu",
);

/** Files that the question names, `docs/setup.md` or `setup.md`; no URLs. */
export function mentionedPaths(question: string): string[] {
  const plain = question.replace(/\bhttps?:\/\/\S+/giu, " ");
  const quoted = [...plain.matchAll(/["'“`]([^"'”`\n]{1,200})["'”`]/gu)]
    .map(([, inner = ""]) => inner)
    .filter((inner) => wholly(inner));
  // Most questions name none, and the pattern takes milliseconds to be made ready.
  const bare = !plain.includes(".") ? [] : [...plain.matchAll(PATH)].map(([, path = ""]) => path);
  const all = [
    ...quoted,
    ...bare.filter((path) => !quoted.some((longer) => longer.includes(path))),
  ];
  return [...new Set(all.map((path) => path.replace(/^\.\//, "")))];
}

function wholly(text: string): boolean {
  return (
    new RegExp(`^[^/\\\\]?[^\\n]*\\.(?:${FILE_ENDING}|js)$`, "iu").test(text) && !/[?!]/.test(text)
  );
}

/** A folder that the question limits itself to: "in docs/guide/", "under src/api/". */
export function mentionedFolder(question: string): string | undefined {
  if (!question.includes("/")) return undefined;
  return /(?:^|\s)(?:in|under|within|below|inside)\s+(?:the\s+(?:folder\s+)?)?[`"']?((?:[\p{L}\p{N}_.@-]+\/)+)[`"']?(?=[\s?.,!]|$)/iu.exec(
    question,
  )?.[1];
}

/** A range of lines: "line 12", "lines 10-20". */
export function mentionedLines(question: string): { start: number; end: number } | undefined {
  const [, first, last] =
    /\blines?\s+(\d{1,7})(?:\s*(?:-|–|to|through)\s*(\d{1,7}))?/iu.exec(question) ?? [];
  if (first === undefined) return undefined;
  const start = Number(first);
  const end = last === undefined ? start : Number(last);
  return start >= 1 && end >= start ? { start, end } : undefined;
}

const IDENTIFIER =
  /(?<![\p{L}\p{N}_./-])(--[a-z][a-z0-9-]+|[\p{L}_$][\p{L}\p{N}$]*(?:_[\p{L}\p{N}$]+)+|[\p{Ll}$][\p{L}\p{N}$]*\p{Lu}[\p{L}\p{N}$]*|(?:\p{Lu}\p{Ll}+){2,}[\p{Lu}\p{N}]*|(?:\p{Lu}\p{Ll}+)+\p{Lu}{2,}|[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*\(\))/gu;

/** Names from code: `max_iterations`, `createAgent`, `--json`, `ChatOpenAI`, `run()`. */
export function mentionedIdentifiers(question: string): string[] {
  const code = [...question.matchAll(/`([^`\n]{2,80})`/gu)].map(([, inner = ""]) => inner);
  const bare = [...question.matchAll(IDENTIFIER)].map(([, name = ""]) => name.replace(/\(\)$/, ""));
  const paths = mentionedPaths(question);
  return [...new Set([...code, ...bare])].filter(
    (name) => !paths.some((path) => path.includes(name)),
  );
}

/**
 * Takes secrets out of values before they are logged: by the name of the key that holds them, by
 * the shape of the text, and by being the value of an environment variable that holds a key. Better
 * one harmless word too many than one key in a log.
 */

/** What stands where a secret stood. */
export const REDACTED = "[redacted]";

/**
 * Keys whose strings are secret whatever they look like. Counters such as `input_tokens` hold
 * numbers and stay.
 */
const SECRET_KEY =
  /^(?:.*[-_.])?(?:api[-_]?key|apikey|secret|password|passwd|passphrase|authorization|cookie|set-cookie|credentials?|private[-_]?key|access[-_]?key|token|auth)$/;

/** `openaiApiKey`, `accessToken`: names in camel case are brought to the form above. */
function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase());
}

/**
 * Shapes of keys as the well-known services issue them. Each needs a length that no ordinary word
 * after the prefix has.
 */
const SECRET_SHAPES = new RegExp(
  [
    String.raw`\bsk-[A-Za-z0-9_-]{8,}`, // OpenAI and many that copy it
    String.raw`\btvly-[A-Za-z0-9_-]{6,}`, // Tavily
    String.raw`\bBSA[A-Za-z0-9_-]{20,}`, // Brave
    String.raw`\b(?:lsv2_[a-z]+_|ls__)[A-Za-z0-9_]{16,}`, // LangSmith
    String.raw`\b(?:pa|jina|hf)[-_][A-Za-z0-9_-]{24,}`, // Voyage, Jina, Hugging Face
    String.raw`\b(?:gh[opsur]_|github_pat_|glpat-)[A-Za-z0-9_-]{16,}`,
    String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{8,}`,
    String.raw`\bAKIA[A-Z0-9]{16}\b`,
    String.raw`\bAIza[A-Za-z0-9_-]{30,}`,
    // JSON web tokens, Qdrant's keys among them.
    String.raw`(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`,
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
  ].join("|"),
  "g",
);
const AUTHORISATION = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi;
// The lengths are bounded so that a text made for it cannot cost more than time in proportion to
// its length.
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,1000}@/gi;
const URL_PARAMETER =
  /([?&](?:api[-_]?key|key|token|access[-_]?token|auth|secret|password|signature|sig)=)[^&#\s"'<>]+/gi;

/** Names of environment variables that hold secrets. */
const SECRET_VARIABLE = /(?:_KEY|_TOKEN|_SECRET|PASSWORD|_CREDENTIALS?)$/;
/** Shorter values would take ordinary words out of every text. */
const SHORTEST_SECRET = 8;
const DEEPEST = 12;

/**
 * Values of the environment that must not be seen, longest first so that none leaves a part of
 * another behind.
 */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment)
    .flatMap(([name, value]) =>
      SECRET_VARIABLE.test(name) && value !== undefined && value.length >= SHORTEST_SECRET
        ? [value]
        : [],
    )
    .sort((a, b) => b.length - a.length);
}

/** Takes secrets out of one text. */
export function redactText(
  text: string,
  secrets: readonly string[] = secretsOf(process.env),
): string {
  let out = text;
  for (const secret of secrets) if (out.includes(secret)) out = out.replaceAll(secret, REDACTED);
  return out
    .replace(SECRET_SHAPES, REDACTED)
    .replace(AUTHORISATION, `$1 ${REDACTED}`)
    .replace(URL_CREDENTIALS, `$1${REDACTED}@`)
    .replace(URL_PARAMETER, `$1${REDACTED}`);
}

/**
 * A copy of a value without its secrets, made of plain JSON: errors become `{name, message}`,
 * functions and symbols are left out, cycles and what lies too deep become a word. Never throws.
 * @param secrets texts that are secret wherever they appear; by default the keys in the environment
 */
export function redact(
  value: unknown,
  secrets: readonly string[] = secretsOf(process.env),
): unknown {
  return walk(value, secrets, new Set(), 0);
}

function walk(
  value: unknown,
  secrets: readonly string[],
  above: Set<object>,
  depth: number,
): unknown {
  if (typeof value === "string") return redactText(value, secrets);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (value === null || typeof value !== "object") return value;
  if (above.has(value)) return "[circular]";
  if (depth >= DEEPEST) return "[too deep]";
  above.add(value);
  try {
    if (value instanceof Error)
      return { name: value.name, message: redactText(value.message, secrets) };
    if (value instanceof Date)
      return Number.isNaN(value.getTime()) ? "[invalid date]" : value.toISOString();
    if (Array.isArray(value))
      return value.map((item) => walk(item, secrets, above, depth + 1) ?? null);
    const copy: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      const isSecret = typeof inner === "string" && inner !== "" && isSecretKey(key);
      copy[key] = isSecret ? REDACTED : walk(inner, secrets, above, depth + 1);
    }
    return copy;
  } catch {
    // A getter or a proxy that throws: nothing of it can be logged safely.
    return "[unreadable]";
  } finally {
    above.delete(value);
  }
}

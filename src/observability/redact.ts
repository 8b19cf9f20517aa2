/**
 * Removes secrets before values are logged: by the name of their key, by their shape, and by the
 * values of environment variables that hold keys. Too much is better than one key in a log.
 */
import { wordSet, wordsOf } from "../text/words.js";

export const REDACTED = "[redacted]";

/** Keys whose strings are always secret. Counters such as `input_tokens` hold numbers and stay. */
const SECRET_KEYS = wordSet(
  "apikey privatekey accesskey secretkey secret token auth authorization password passwd " +
    "passphrase cookie credential credentials",
);

/** Understands camel case too: `openaiApiKey`, `accessToken`. */
function isSecretKey(key: string): boolean {
  const words = wordsOf(key.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase());
  return [words.slice(-1), words.slice(-2)].some((last) => SECRET_KEYS.has(last.join("")));
}

/** Keys of well-known services. Each is longer than any ordinary word with the same prefix. */
const SECRET_SHAPES = new RegExp(
  [
    String.raw`\bsk[-_][A-Za-z0-9_-]{8,}`, // OpenAI and many that copy it
    String.raw`\btvly-[A-Za-z0-9_-]{6,}`, // Tavily
    String.raw`\bBSA[A-Za-z0-9_-]{20,}`, // Brave
    String.raw`\b(?:lsv2_[a-z]+_|ls__)[A-Za-z0-9_]{16,}`, // LangSmith
    String.raw`\b(?:pa|jina|hf)[-_][A-Za-z0-9_-]{24,}`, // Voyage, Jina, Hugging Face
    String.raw`\b(?:gh[opsur]_|github_pat_|glpat-)[A-Za-z0-9_-]{16,}`,
    String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{8,}`,
    String.raw`\bAKIA[A-Z0-9]{16}\b`,
    String.raw`\bAIza[A-Za-z0-9_-]{30,}`,
    // JSON web tokens, such as Qdrant's keys.
    String.raw`(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`,
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
  ].join("|"),
  "g",
);
const AUTHORIZATION = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi;
// The lengths are bounded, so that hostile text takes linear time.
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,1000}@/gi;
const URL_PARAMETER = new RegExp(
  "([?&;](?:(?:api|access)?[-_]?(?:key|token)|auth|secret|password|pwd|signature|sig)=)" +
    "[^&#\\s\"'<>]+",
  "gi",
);

/** Names of environment variables that hold secrets. */
const SECRET_VARIABLE = new RegExp(
  "(?:^|_)(?:(?:API|ACCESS|AUTH|PRIVATE)?(?:KEYS?|TOKENS?)|SECRETS?|PWD|PIN|PAT|" +
    "(?:DB|MY|PG)?PASS(?:WORD|WD|PHRASE|CODE|KEY)?S?|" +
    "CREDS?|CREDENTIALS?|AUTH|COOKIE|DSN|JWT|SIGNATURE)(?:_|\\d|$)",
  "i",
);
/** The working directory, which shells keep under such names. */
const NO_SECRET = /^(?:OLD)?PWD$|_PATHS?$|_FILES?$|_DIRS?$|_SOCK$/;

export function isSecretVariable(name: string): boolean {
  return !NO_SECRET.test(name) && SECRET_VARIABLE.test(name);
}

/** Letters and digits without order are a key, whatever its name; words with hyphens are none. */
const LOOKS_RANDOM =
  /^(?=.*\d)(?=.*[A-Za-z])(?:[A-Fa-f0-9-]{24,}|(?=.*[A-Za-z0-9+=]{16})[A-Za-z0-9_+=-]{24,})$/;
/** Shorter values would remove ordinary words. */
const SHORTEST_SECRET = 8;

/**
 * Returns secret values of the environment, longest first, so that no part of one is left. A list
 * may name the owner of each key: `anna:long-random-key`.
 */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment)
    .flatMap(([name, value = ""]) => {
      if (NO_SECRET.test(name)) return [];
      if (!SECRET_VARIABLE.test(name))
        return value.split(/[\s,;:]/).filter((part) => LOOKS_RANDOM.test(part));
      return [value, ...value.split(",")].flatMap((each) => [
        each,
        each.slice(each.indexOf(":") + 1),
      ]);
    })
    .map((value) => value.trim())
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
}

export function redactText(
  text: string,
  secrets: readonly string[] = secretsOf(process.env),
): string {
  let out = text;
  for (const secret of secrets) if (out.includes(secret)) out = out.replaceAll(secret, REDACTED);
  return out
    .replace(SECRET_SHAPES, REDACTED)
    .replace(AUTHORIZATION, `$1 ${REDACTED}`)
    .replace(URL_CREDENTIALS, `$1${REDACTED}@`)
    .replace(URL_PARAMETER, `$1${REDACTED}`);
}

/**
 * Prints a value as JSON without secrets.
 * @param secrets texts that are always secret; by default the keys in the environment
 * @throws TypeError if JSON cannot hold the value
 */
export function redactedJson(
  value: object,
  secrets: readonly string[] = secretsOf(process.env),
): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (typeof inner !== "string" || inner === "") return inner;
    return isSecretKey(key) ? REDACTED : redactText(inner, secrets);
  });
}

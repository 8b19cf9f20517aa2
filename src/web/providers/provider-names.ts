/** The search providers by name, and what each must be told before it can be asked. */
import { UserError } from "../../support/errors.js";

export const WEB_PROVIDER_NAMES = [
  "tavily",
  "searxng",
  "brave",
  "mediawiki",
  "duckduckgo",
] as const;
export type WebProviderName = (typeof WEB_PROVIDER_NAMES)[number];

/** The variable without which a provider cannot work; the others need none. */
const NEEDED_VARIABLE = {
  tavily: "TAVILY_API_KEY",
  searxng: "SEARXNG_URL",
  brave: "BRAVE_API_KEY",
} as const satisfies Partial<Record<WebProviderName, string>>;

export type NeededVariable = (typeof NEEDED_VARIABLE)[keyof typeof NEEDED_VARIABLE];

/**
 * The names that were asked for, each once, in their order.
 * @param valueOf the value of a variable, if it is set
 * @throws UserError for a name that is unknown, or that lacks its key or URL
 */
export function providersNamed(
  names: readonly string[],
  valueOf: Readonly<Partial<Record<NeededVariable, string | undefined>>>,
): WebProviderName[] {
  const wanted = names.map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
  return [...new Set(wanted)].map((name) => {
    const known = WEB_PROVIDER_NAMES.find((each) => each === name);
    if (known === undefined)
      throw new UserError(
        `WEB_PROVIDERS names "${name}", which is no search provider`,
        `known are ${WEB_PROVIDER_NAMES.join(", ")}`,
      );
    const needed =
      known in NEEDED_VARIABLE ? NEEDED_VARIABLE[known as keyof typeof NEEDED_VARIABLE] : undefined;
    if (needed !== undefined && !valueOf[needed])
      throw new UserError(
        `WEB_PROVIDERS names ${known}, but ${needed} is not set`,
        `set it, or leave ${known} out`,
      );
    return known;
  });
}

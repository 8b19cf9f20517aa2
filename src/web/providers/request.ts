/** The common parts of the providers' requests. */
import { HttpError } from "../../support/http-error.js";
import type { JsonRequest } from "../../support/json-client.js";

/** Replaceable parts of a client; for tests. */
export type HttpOptions = Pick<JsonRequest<unknown>, "fetch" | "maxBytes">;

/** Shortens a query to what a provider takes, at a word boundary where there is one. */
export function clipQuery(query: string, maxCharacters: number, maxWords = Infinity): string {
  let words = query.replace(/\s+/g, " ").trim();
  if (maxWords !== Infinity) words = words.split(" ").slice(0, maxWords).join(" ");
  if (words.length <= maxCharacters) return words;
  const cut = words.slice(0, maxCharacters);
  const space = cut.lastIndexOf(" ");
  // Half a surrogate pair at the end would become a replacement character on the wire.
  return (space > maxCharacters / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, "");
}

/** Names the setting to check when a key was refused. */
export function pointingTo(keyName: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof HttpError && error.failure === "unauthorized")
      throw new HttpError(error.failure, `${error.message} (check ${keyName})`, { cause: error });
    throw error;
  };
}

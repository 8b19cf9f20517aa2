/** "Kelly Piaf" for "Edith Piaf": a name that the source knows only with another first part. */
import { contentTerms } from "../../text/analyse.js";
import { extractNames } from "../../text/entities.js";
import { distinctiveTerms } from "./distinctive-terms.js";

/**
 * The name in the source that ends as this one does and begins otherwise. Undefined where the source knows the first part too, where one
 * of the two begins with a title or an initial, or where both begin with the same letter and may be spellings of one name.
 */
export function otherBearer(
  name: string,
  text: string,
  knows: (term: string) => boolean,
): string | undefined {
  const [first, rest] = split(name);
  if (
    rest === "" ||
    !isGivenPart(first, name) ||
    contentTerms(first).some(knows) ||
    !text.includes(rest)
  )
    return undefined;
  return extractNames(text)
    .map((other) => other.text)
    .find((other) => {
      const [theirs, remainder] = split(other);
      return (
        remainder === rest &&
        isGivenPart(theirs, other) &&
        theirs[0]?.toLowerCase() !== first[0]?.toLowerCase()
      );
    });
}

function split(name: string): [first: string, rest: string] {
  const at = name.search(/\s/u);
  return at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at).trim()];
}

function isGivenPart(part: string, name: string): boolean {
  const terms = contentTerms(part);
  return (
    part.length >= 3 &&
    !part.endsWith(".") &&
    terms.length > 0 &&
    terms.every((term) => distinctiveTerms(name).includes(term))
  );
}

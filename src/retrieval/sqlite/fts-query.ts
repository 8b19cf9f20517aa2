/** From terms to the full-text index's own language, safely: whatever the user typed is data there, never an operator. */

/** Characters that the index's tokenizer does not take as part of a term (see the table definition); they would split or end it. */
const UNSAFE = /[\u0000-\u0020"\\`\u007f]+/g;

/** Makes one term fit for the index. The same for storing and for asking, so that nothing is lost by it. Empty when nothing is left. */
export function safeTerm(term: string): string {
  return term.replace(UNSAFE, "_");
}

/** Terms as one cell of the index. */
export function termsAsCell(terms: readonly string[]): string {
  return terms
    .map(safeTerm)
    .filter((term) => term !== "")
    .join(" ");
}

/** `"a" OR "b"`, a repeated term counting again; undefined when there is no term. */
export function anyOf(terms: readonly string[]): string | undefined {
  return joined(terms, " OR ");
}

/** `"a" AND "b"`; undefined when there is no term. */
export function allOf(terms: readonly string[]): string | undefined {
  return joined(terms, " AND ");
}

function joined(terms: readonly string[], operator: string): string | undefined {
  const quoted = terms
    .map(safeTerm)
    .filter((term) => term !== "")
    .map((term) => `"${term}"`);
  return quoted.length === 0 ? undefined : quoted.join(operator);
}

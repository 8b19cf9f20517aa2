/**
 * Places of a text where brackets and addresses mean nothing to us: code and formulas. Decided by
 * what stands before the place alone, so that a streamed text is read like a whole one.
 */
export function quietPlaces(text: string): (at: number) => boolean {
  const fences = [...text.matchAll(/^[^\S\n]*(?:```|~~~|\$\$|\\\[|\\\])/gmu)].map(
    ({ index }) => index,
  );
  return (at) => {
    if (fences.filter((fence) => fence < at).length % 2 === 1) return true;
    const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
    if ((line.match(/`+/gu)?.length ?? 0) % 2 === 1) return true;
    if (line.lastIndexOf("\\(") > line.lastIndexOf("\\)")) return true;
    return isInDollars(line);
  };
}

/** `$x \in` opens a formula; `$5`, `$US` and `$AAPL rose` do not. */
function isInDollars(line: string): boolean {
  let open = false;
  for (const { index } of line.matchAll(/\$/gu)) {
    if (open) open = /\s/u.test(line[index - 1] ?? " ");
    else open = !/^(?:[\s\d]|\p{Lu}{1,5}\s|$)/u.test(line.slice(index + 1, index + 8));
  }
  return open || line.endsWith("$");
}

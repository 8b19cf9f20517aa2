/**
 * Shortens a query to what a provider takes, at a word boundary where there is one.
 * @param maxWords words at most, for providers that count those as well
 */
export function clipQuery(query: string, maxCharacters: number, maxWords = Infinity): string {
  let words = query.replace(/\s+/g, " ").trim();
  if (maxWords !== Infinity) words = words.split(" ").slice(0, maxWords).join(" ");
  if (words.length <= maxCharacters) return words;
  const cut = words.slice(0, maxCharacters);
  const space = cut.lastIndexOf(" ");
  // Half a surrogate pair at the end would become a replacement character on the wire.
  return (space > maxCharacters / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, "");
}

/** Returns a page whose part between the markers of a name is the content. */
export function between(page: string, name: string, content: string): string {
  const [begin, end] = [`<!-- generated:${name} -->`, `<!-- /generated:${name} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the markers of "${name}" are missing`);
  return `${page.slice(0, from + begin.length)}\n\n${content}\n\n${page.slice(to)}`;
}

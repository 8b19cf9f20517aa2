/** Documents with one fact each that no other holds, so that an answer about the wrong one is seen. */
export const TOWNS = [
  "Ashford",
  "Birchwood",
  "Cedarville",
  "Dunmore",
  "Elmstead",
  "Fairview",
  "Glenrock",
  "Hartwell",
  "Ivydale",
  "Juniper",
];

export function foundedIn(town: string): string {
  return String(1800 + TOWNS.indexOf(town));
}

export const TOWN_FILES: Record<string, string> = Object.fromEntries(
  TOWNS.map((town, index) => [
    `notes/${town.toLowerCase()}.md`,
    `# ${town}\n\n${town} was founded in ${1800 + index}. The mayor of ${town} is elected for ${index + 2} years.\n`,
  ]),
);

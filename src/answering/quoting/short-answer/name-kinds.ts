/** What a capitalised name may stand for: good enough to keep "French" from being a person and "Edict of Nantes" from being a country. */
const DEMONYMS = new Set(
  `african american arab arabic argentine asian australian austrian belgian brazilian british bulgarian byzantine canadian catholic celtic chilean chinese christian croatian
cuban czech danish dutch egyptian english european finnish flemish french gaelic german germanic greek hebrew hindu hungarian icelandic indian indonesian iranian iraqi irish islamic israeli
italian japanese jewish korean latin lutheran mexican mongol muslim nazi norman norse norwegian orthodox ottoman pakistani palestinian persian polish portuguese protestant prussian roman
romanian russian scandinavian scottish serbian slavic soviet spanish swedish swiss syrian thai turkish ukrainian victorian vietnamese welsh western eastern northern southern`.split(
    /\s+/u,
  ),
);

const NO_PERSON =
  /\b(?:Act|Acts|Agreement|Army|Association|Award|Bank|Bay|Battle|Bridge|Cape|Castle|Cathedral|Church|City|Club|Coast|College|Commission|Committee|Company|Conference|Congress|Convention|Corporation|Council|County|Court|Cup|Department|Desert|Edict|Empire|Festival|Fort|Forest|Foundation|Gulf|Hall|Highway|Hospital|House|Inc|Institute|Island|Islands|Kingdom|Lake|Law|League|Ltd|Mountain|Mountains|Museum|Ocean|Palace|Park|Parliament|Party|Peninsula|Plc|Prize|Protocol|Republic|Revolution|River|Road|School|Sea|Society|Square|State|States|Station|Street|System|Theatre|Theater|Treaty|Union|University|Valley|Village|War|World)\b/u;
const PERSONAL =
  /\b(?:King|Queen|Emperor|Empress|Prince|Princess|Duke|Duchess|Earl|Count|Lord|Lady|Sir|Pope|Saint|President|General|Captain|Dr|Mr|Mrs|Ms|Professor|Minister|Bishop)\b/u;
const NO_PLACE =
  /\b(?:Act|Agreement|Association|Award|Battle|Church|Commission|Committee|Company|Corporation|Edict|Festival|Inc|Law|League|Party|Prize|Revolution|Treaty|War|Crusade)\b/u;

/** An adjective of nationality or belief, standing alone. */
export function isDemonym(name: string): boolean {
  return DEMONYMS.has(name.toLowerCase());
}

/** From 1 (titled, or a few plain capitalised words) to 0 (an institution, a nationality). */
export function personLikeness(name: string): number {
  if (isDemonym(name) || NO_PERSON.test(name)) return 0;
  if (PERSONAL.test(name)) return 1;
  const words = name.split(/\s+/u).length;
  return words >= 2 && words <= 4 ? 0.8 : 0.5;
}

/** Whether a name can be one of a place; persons cannot be told apart by form alone. */
export function canBePlace(name: string): boolean {
  return !isDemonym(name) && !NO_PLACE.test(name) && !PERSONAL.test(name);
}

let countries: ReadonlySet<string> | undefined;
const OLD_COUNTRIES = [
  "England",
  "Scotland",
  "Wales",
  "Northern Ireland",
  "Holland",
  "Prussia",
  "Soviet Union",
  "Britain",
  "Great Britain",
  "America",
  "USA",
  "US",
  "UK",
  "Dutch Republic",
];

/** Countries as the runtime's own locale data names them in English, and a few that are no more. */
export function isCountry(name: string): boolean {
  countries ??= new Set(
    [...regionNames(), ...OLD_COUNTRIES].map((country) => country.toLowerCase()),
  );
  return countries.has(name.toLowerCase().replace(/^the\s+/u, ""));
}

function regionNames(): string[] {
  const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return letters.flatMap((first) =>
    letters.flatMap((second) => names.of(`${first}${second}`) ?? []),
  );
}

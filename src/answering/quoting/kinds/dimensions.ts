/** Which way a length goes: how deep a sea is says nothing of how long it is. English, German, French, Spanish and Chinese. */

const DIMENSIONS: readonly RegExp[] = [
  /\b(?:tall(?:er|est)?|high(?:er|est)?|heights?|elevations?|altitudes?|(?:above|over) sea level)\b|(?<!\p{L})(?:hoch|hohe[rnsm]?|höhe|haut|hauteur|alto|altura)(?!\p{L})|高|海拔/iu,
  /\b(?:wide(?:r|st)?|widths?|broad|breadth|across|diameters?|wingspan)\b|(?<!\p{L})(?:breit|breite|durchmesser|largeur|ancho|anchura|diamètre|diámetro)(?!\p{L})|宽|直径/iu,
  /\b(?:deep(?:er|est)?|depths?)\b|(?<!\p{L})(?:tief|tiefe|profonde?|profondeur|profund[oa]|profundidad)(?!\p{L})|深/iu,
  /\b(?:thick(?:er|est)?|thickness)\b|(?<!\p{L})(?:dick|dicke|épais(?:se|seur)?|gruesos?|grosor)(?!\p{L})|厚/iu,
  /\b(?:long(?:er|est)?|lengths?|stretch(?:es|ed|ing)?|extend(?:s|ed|ing)?)\b|(?<!\p{L})(?:lang|länge|erstreckt|longueur|s['’]étend|larg[oa]|longitud|extiende)(?!\p{L})|长/iu,
];

/** The question asks for one dimension, and the text speaks of others only. A text that names none may mean any. */
export function isOtherDimension(text: string, question: string): boolean {
  const asked = DIMENSIONS.filter((dimension) => dimension.test(question));
  if (asked.length !== 1) return false;
  const said = DIMENSIONS.filter((dimension) => dimension.test(text));
  return said.length > 0 && !said.some((dimension) => asked.includes(dimension));
}

/** The words of a quotation without its markup, as they are shown to people. The citation keeps the exact span. */

/** References to footnotes, as encyclopedias write them: `[7]`, `[citation needed]`. */
export const FOOTNOTE =
  /(?<=[\p{L}\p{N}.!?,;:"'”’)\]])\[(?:\d{1,3}|[a-z]|note \d{1,3}|[a-z ]+ needed|not in citation given|who\?|when\?)\](?!\()/giu;

/** Strips Markdown, references to footnotes and white space from a sentence, item, table row or heading. Inline code keeps its marks. */
export function plainText(markdown: string): string {
  return (
    markdown
      .replace(/\r\n?/gu, "\n")
      .replace(/^\s{0,3}#{1,6}\s+|\s+#+\s*$/gmu, "")
      .replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)/u, "")
      .replace(/^\s*>\s?/gmu, "")
      .replace(/!\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)/gu, "$1")
      .replace(/\[([^\]]+)\]\([^)\s]*(?:\s+"[^"]*")?\)/gu, "$1")
      .replace(/\[([^\]]+)\]\[[^\]]*\]/gu, "$1")
      .replace(FOOTNOTE, "")
      .replace(/(\*\*\*|\*\*|__)(?=\S)(.+?)(?<=\S)\1/gsu, "$2")
      .replace(/(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\p{L}\p{N}*])/gu, "$1")
      .replace(/<\/?(?:b|i|em|strong|sup|sub|br|p|span|a|code|u)\b[^>]*>/giu, "")
      .replace(/^\s*\|\s*|\s*\|\s*$/gu, "")
      .replace(/\s*\|\s*/gu, " – ")
      // Emphasis that a sentence boundary cut in two.
      .replace(/(?:^|(?<=\s))\*\*\s*|\*\*(?=\s|$)/gu, "")
      .replace(/\s+/gu, " ")
      .trim()
  );
}

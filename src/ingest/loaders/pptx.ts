import type { Block } from "../../text/block.js";
import { attributesOf, markupTokens } from "../../text/markup.js";
import { requireSaneLength, titleFromName, type Loader } from "../document.js";
import { unzipTexts } from "./archive.js";
import { officeBlocks, type Vocabulary } from "./office-blocks.js";

const PARTS = /^ppt\/(?:presentation\.xml|_rels\/presentation\.xml\.rels|slides\/slide\d+\.xml)$/;

const SLIDE: Vocabulary = {
  paragraph: new Set(["a:p"]),
  text: "a:t",
  tab: "a:tab",
  breaks: new Set(["a:br"]),
  table: "a:tbl",
  row: "a:tr",
  cell: "a:tc",
  item: "a:buchar",
  skipped: new Set(["mc:fallback"]),
  heading: (name, attributes) =>
    name === "p:ph" && /title$/i.test(attributes().get("type") ?? "") ? 1 : undefined,
  headingEnds: new Set(["p:sp"]),
};

/** Loads a presentation slide by slide; a slide is cited as its page. */
export const loadPptx: Loader = async ({ bytes, name }) => {
  const parts = await unzipTexts(bytes, PARTS, "presentation");
  const blocks: Block[] = [];
  let characters = 0;
  slidesInOrder(parts).forEach((slide, index) => {
    const xml = parts.get(slide) ?? "";
    requireSaneLength((characters += xml.length));
    const page = index + 1;
    const above = [`Slide ${page}`];
    const read = officeBlocks(xml, SLIDE, above).blocks;
    // A slide may hold nothing but its title.
    const untitled = { ...SLIDE, heading: () => undefined };
    const found = read.length > 0 ? read : officeBlocks(xml, untitled, above).blocks;
    blocks.push(...found.map((block) => ({ ...block, page })));
  });
  return { kind: "pptx", title: titleFromName(name), blocks };
};

/** In the order in which they are shown, each once. */
function slidesInOrder(parts: ReadonlyMap<string, string>): readonly string[] {
  const all = [...parts.keys()].filter((part) => part.includes("/slides/"));
  const numberOf = (part: string): number => Number(/\d+/.exec(part)?.[0] ?? 0);
  const targets = relations(parts.get("ppt/_rels/presentation.xml.rels") ?? "");
  const shown: string[] = [];
  for (const token of markupTokens(parts.get("ppt/presentation.xml") ?? ""))
    if (token.kind === "open" && token.name === "p:sldid")
      shown.push(`ppt/${targets.get(attributesOf(token.attributes).get("r:id") ?? "") ?? ""}`);
  const known = new Set(shown.filter((part) => parts.has(part)));
  return known.size > 0 ? [...known] : all.toSorted((a, b) => numberOf(a) - numberOf(b));
}

/** Targets of a part's relations by their id. */
export function relations(xml: string): ReadonlyMap<string, string> {
  const targets = new Map<string, string>();
  for (const token of markupTokens(xml)) {
    if (token.kind !== "open" || token.name !== "relationship") continue;
    const given = attributesOf(token.attributes);
    targets.set(given.get("id") ?? "", given.get("target") ?? "");
  }
  return targets;
}

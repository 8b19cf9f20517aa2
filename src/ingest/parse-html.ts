/** HTML and XML as a tree, with the few types of the DOM that are needed: Node has none of its own. */
import { isTooDeepToParse, type TreeNode } from "../web/page-limits.js";
import { LoadError } from "./document.js";
import type { DomNode } from "./html-blocks.js";

export interface DomElement extends DomNode, TreeNode {
  getAttribute(name: string): string | null;
}

export interface DomDocument extends DomNode {
  readonly body: DomElement;
  readonly title: string;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}

/**
 * Parses a page, or a fragment as the body of one.
 * @throws LoadError for a page that is nested so deeply that parsing it would take minutes
 */
export async function parseHtml(source: string): Promise<DomDocument> {
  refuseDeep(source);
  const { parseHTML } = await import("linkedom");
  // The parser would put the content of a fragment nowhere.
  const whole = /<html[\s>]/i.test(source)
    ? source
    : `<!doctype html><html><body>${source}</body></html>`;
  const parsed: unknown = parseHTML(whole);
  return documentOf(
    typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "document") : undefined,
  );
}

/** @throws LoadError as {@link parseHtml} does */
export async function parseXml(source: string): Promise<DomDocument> {
  refuseDeep(source);
  const { DOMParser } = await import("linkedom");
  const parsed: unknown = new DOMParser().parseFromString(source, "text/xml");
  return documentOf(parsed);
}

function refuseDeep(source: string): void {
  if (isTooDeepToParse(source)) throw new LoadError("its elements are nested too deeply");
}

function documentOf(value: unknown): DomDocument {
  if (!isDocument(value)) throw new TypeError("the parser gave no document");
  return value;
}

function isDocument(value: unknown): value is DomDocument {
  return (
    typeof value === "object" && value !== null && "querySelector" in value && "childNodes" in value
  );
}

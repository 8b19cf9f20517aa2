/**
 * How much of a page the parsers can bear. Readability takes time that grows with the square of the elements and with the cube of their nesting:
 * three hundred nested elements take seconds, a thousand take minutes. The HTML parser itself takes time that grows with the square of the nesting:
 * fifty thousand levels take seconds. Ordinary pages have some thousand elements, nested less than sixty deep.
 */

/** Elements up to which a page's main content is looked for; larger pages are taken whole. */
const MAX_ELEMENTS = 8_000;
/** Nesting up to which a page's main content is looked for. */
const MAX_DEPTH = 100;
/** Nesting up to which a page is parsed at all. */
const MAX_PARSED_DEPTH = 10_000;

/** What is needed of a parsed page, whose types are not those of Node. */
export interface TreeNode {
  readonly firstChild: TreeNode | null;
  readonly nextSibling: TreeNode | null;
  readonly parentNode: TreeNode | null;
}

/** Whether there are too many elements to look for the main content. */
export function hasManyElements(html: string): boolean {
  const tag = /<[a-z]/gi;
  for (let count = 0; tag.exec(html) !== null; count += 1) if (count >= MAX_ELEMENTS) return true;
  return false;
}

/**
 * Whether a parsed page is nested too deeply to look for the main content. Walks without recursion, which would exhaust the stack where it matters.
 * @param root the page's element, not its document: a document begins with its type, which some parsers give no next sibling
 */
export function isDeep(root: TreeNode): boolean {
  let depth = 0;
  let node: TreeNode | null = root;
  while (node !== null) {
    if (depth > MAX_DEPTH) return true;
    if (node.firstChild !== null) {
      node = node.firstChild;
      depth += 1;
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      depth -= 1;
    }
    node = node === null || node === root ? null : node.nextSibling;
  }
  return false;
}

// Elements without content, and those whose end authors leave out: the next one ends them, so they do not nest.
const TAG =
  /<(\/?)(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|dt|dd|tr|td|th|option)\b)[a-z][^<>]*?(\/?)>/gi;

/** Whether a page that is not parsed yet is nested too deeply for the parser: elements that are opened and not closed again, counted. */
export function isTooDeepToParse(html: string): boolean {
  let depth = 0;
  for (const [, end, selfClosed] of html.matchAll(TAG)) {
    if (end === "/") depth = Math.max(0, depth - 1);
    else if (selfClosed !== "/") depth += 1;
    if (depth > MAX_PARSED_DEPTH) return true;
  }
  return false;
}

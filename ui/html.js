/**
 * Markup in template strings. Whatever stands in `${}` becomes a text node or an attribute, never
 * HTML.
 */
import htm from "htm";
import { h } from "preact";

export const html = htm.bind(h);

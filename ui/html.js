/** Markup in template strings; values in `${}` become text nodes or attributes, never HTML. */
import htm from "htm";
import { h } from "preact";

export const html = htm.bind(h);

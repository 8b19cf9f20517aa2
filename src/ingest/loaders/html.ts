import { decodeText } from "../../text/decode-text.js";
import { readWebPage } from "../../text/web-page.js";
import { declaredCharset } from "../../web/decode-page.js";
import { titleFromName, type Loader } from "../document.js";

/** Loads a web page's main content, without menus, advertisements and banners. */
export const loadHtml: Loader = async ({ bytes, name }) => {
  const { title, blocks } = await readWebPage(
    decodeText(bytes, { declared: declaredCharset(bytes) }),
  );
  return { kind: "html", title: title || titleFromName(name), blocks };
};

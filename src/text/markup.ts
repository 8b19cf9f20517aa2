/** Splits HTML and XML into tokens, in linear time whatever the text, since nothing is nested. */
import { Tokenizer } from "htmlparser2";

export type MarkupToken =
  | { kind: "text"; text: string }
  | { kind: "open"; name: string; attributes: ReadonlyMap<string, string>; isEmpty: boolean }
  | { kind: "close"; name: string };
export type OpenToken = MarkupToken & { kind: "open" };

/** Elements whose content is not markup. */
export const RAW_TEXT: ReadonlySet<string> = new Set(["script", "style", "title", "textarea"]);
/** HTML's elements without content. */
const VOID = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);
/** Characters that are split at once; an archive may unpack to 100 MB of markup. */
const PORTION = 100_000;

/** Yields names in lower case and decoded text. */
export function* markupTokens(source: string, { isXml = false } = {}): Generator<MarkupToken> {
  let tokens: MarkupToken[] = [];
  let text = "";
  let name = "";
  let attributes = new Map<string, string>();
  let key = "";
  let value = "";
  const lowerCased = (start: number, end: number): string => source.slice(start, end).toLowerCase();
  const push = (token?: MarkupToken): void => {
    if (text !== "") tokens.push({ kind: "text", text });
    if (token !== undefined) tokens.push(token);
    text = "";
  };
  const open = (isClosed: boolean): void => {
    push({ kind: "open", name, attributes, isEmpty: isClosed || (!isXml && VOID.has(name)) });
  };
  const ignore = (): void => undefined;
  // The library's `Parser` would nest elements, which takes quadratic time on a hostile page.
  const tokenizer = new Tokenizer(
    { xmlMode: isXml, recognizeSelfClosing: true },
    {
      ontext: (start, end) => (text += source.slice(start, end)),
      ontextentity: (codePoint) => (text += String.fromCodePoint(codePoint)),
      oncdata: (start, end, ending) => (text += source.slice(start, end - ending)),
      onopentagname(start, end) {
        name = lowerCased(start, end);
        attributes = new Map();
      },
      onattribname: (start, end) => (key = lowerCased(start, end)),
      onattribdata: (start, end) => (value += source.slice(start, end)),
      onattribentity: (codePoint) => (value += String.fromCodePoint(codePoint)),
      onattribend() {
        attributes.set(key, value);
        value = "";
      },
      onopentagend: () => open(false),
      onselfclosingtag: () => open(true),
      onclosetag: (start, end) => push({ kind: "close", name: lowerCased(start, end) }),
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: push,
    },
  );
  for (let at = 0; at < source.length; at += PORTION) {
    tokenizer.write(source.slice(at, at + PORTION));
    yield* tokens;
    tokens = [];
  }
  tokenizer.end();
  yield* tokens;
}

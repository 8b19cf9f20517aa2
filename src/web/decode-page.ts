/**
 * The text of a page's bytes: by its byte order mark, else the charset of its `Content-Type`, else the one that it declares in its first
 * kilobyte, else UTF-8. Unknown charsets count as UTF-8; bytes that make no sense become replacement characters.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const fromHeader = /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType)?.[1];
  return decode(bytes, byteOrderMark(bytes) ?? fromHeader ?? declaredCharset(bytes) ?? "utf-8");
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

/** `<meta charset=…>`, the same as `http-equiv`, and XML's `encoding="…"`. */
export function declaredCharset(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  return (
    /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(start)?.[1] ??
    /^\s*<\?xml[^>]{0,100}encoding=["']([\w:.-]{1,40})/i.exec(start)?.[1]
  );
}

function decode(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder("utf-8").decode(bytes);
  }
}

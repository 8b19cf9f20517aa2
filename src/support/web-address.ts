/** True for an http or https address. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text);
}

/**
 * Returns the address of an endpoint below a base URL, which may already end in the path.
 * @example endpoint("http://localhost/searx/", "/search").href // "http://localhost/searx/search"
 */
export function endpoint(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = base.endsWith(path) ? base : base + path;
  return url;
}

/** Decodes a part of an address; one with invalid escapes is returned unchanged. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

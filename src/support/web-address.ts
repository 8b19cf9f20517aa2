/** True for an address of a page, http or https. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text);
}

/**
 * Returns the address of an endpoint below a base URL; a base that already ends in the path is
 * taken as it stands, so that users may set either.
 * @example endpoint("http://localhost/searx/", "/search").href // "http://localhost/searx/search"
 */
export function endpoint(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = base.endsWith(path) ? base : base + path;
  return url;
}

/** Returns a part of an address without its escapes, as it is where they are none. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

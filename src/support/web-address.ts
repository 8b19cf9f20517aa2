/** True for an http or https address. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text);
}

/** True for the name of a host that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(host);
}

/** Returns the port of an address, also where it is the usual one. */
export function portOf({ port, protocol }: { port: string; protocol: string }): string {
  return port || (protocol === "https:" ? "443" : "80");
}

/** True for an address with a name or a password in it, which clients repeat in their errors. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

/** Returns the last part of a web address's path, else its host; other texts as they are. */
export function lastSegment(address: string): string {
  if (!isWebAddress(address) || !URL.canParse(address)) return address;
  const { pathname, hostname } = new URL(address);
  return decodedPart(pathname.split("/").findLast((part) => part !== "") ?? hostname);
}

export function withoutEndSlash(address: string): string {
  return address.replace(/\/+$/, "");
}

/**
 * Returns the address of an endpoint below a base URL, which may already end in the path.
 * @example endpoint("http://localhost/searx/", "/search").href // "http://localhost/searx/search"
 */
export function endpoint(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl);
  const base = withoutEndSlash(url.pathname);
  url.pathname = base.endsWith(path) ? base : base + path;
  return url;
}

/**
 * Takes name and password out of an address, as a header for basic authentication: `fetch` refuses
 * them in an address, and repeats them in its error.
 */
export function withoutCredentials(address: string | URL): {
  url: URL;
  password?: string;
  authorization?: string;
} {
  const url = new URL(address);
  const [name, password] = [decodedPart(url.username), decodedPart(url.password)];
  if (name === "" && password === "") return { url };
  [url.username, url.password] = ["", ""];
  const basic = Buffer.from(`${name}:${password}`).toString("base64");
  return { url, password, authorization: `Basic ${basic}` };
}

/** Decodes a part of an address; one with invalid escapes is returned unchanged. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

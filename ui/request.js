/** Requests to the page's own server, with the key that it may ask for. */

/** The server's answer was not what it should be. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const KEY = "corrective-rag-key";
let key = sessionStorage.getItem(KEY) ?? undefined;
let askForKey = () => Promise.reject(new ApiError("a key is needed", 401));
let asking;

/** @param ask shows a field for the key, and resolves with what was typed there */
export function onKeyNeeded(ask) {
  askForKey = ask;
}

/**
 * Sends a request; one that needs a key waits until there is one that is accepted. The key is kept
 * for as long as the browser's tab is open.
 * @param allow statuses beside the good ones that are handed to the caller
 * @throws ApiError
 */
export async function request(path, { method = "GET", headers, body, signal, allow = [] } = {}) {
  for (;;) {
    const sent = key;
    const response = await fetch(path, {
      method,
      headers: { ...headers, ...(sent !== undefined && { "x-api-key": sent }) },
      body,
      signal,
    }).catch((error) => {
      throw error.name === "AbortError"
        ? error
        : new ApiError("the server does not answer. Is it still running?");
    });
    if (response.status === 401) {
      // Another request may have brought a key meanwhile.
      if (sent === key) await needKey(sent !== undefined);
      continue;
    }
    if (!response.ok && !allow.includes(response.status)) throw await failureOf(response);
    return response;
  }
}

export async function requestJson(path, options) {
  return (await request(path, options)).json();
}

export function post(path, value, options) {
  return request(path, {
    ...options,
    method: options?.method ?? "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(value),
  });
}

/** Asks once, however many requests wait for it. */
async function needKey(wasRefused) {
  asking ??= askForKey(wasRefused).finally(() => (asking = undefined));
  key = await asking;
  sessionStorage.setItem(KEY, key);
}

async function failureOf(response) {
  const text = await response.text().catch(() => "");
  const { status } = response;
  return new ApiError(explanationIn(text) ?? `the server answered ${status}`, status);
}

/** Servers explain themselves in JSON, in one line, or in a page of HTML that is of no use. */
function explanationIn(text) {
  try {
    const { error, message, hint } = JSON.parse(text);
    const said = [error, message].find((each) => typeof each === "string");
    return said && (hint ? `${said} (${hint})` : said);
  } catch {
    return text === "" || text.startsWith("<") ? undefined : text.slice(0, 300);
  }
}

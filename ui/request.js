/** Requests to the page's server, with the key that it may ask for. */

/** A request failed. */
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

/** True if the server asked for a key. */
export function hasKey() {
  return key !== undefined;
}

/** @param ask asks the user for the key */
export function onKeyNeeded(ask) {
  askForKey = ask;
}

/**
 * Sends a request, and asks for a key until the server accepts it. The key is kept until the
 * browser tab is closed.
 * @param allow error statuses that are returned instead of thrown
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
      // Another request may have set a key meanwhile.
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

export function put(path, value) {
  return post(path, value, { method: "PUT" });
}

/** Asks once, however many requests are waiting. */
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

/** Finds the explanation in JSON or plain text; a page of HTML has none. */
function explanationIn(text) {
  try {
    const { error, message, hint } = JSON.parse(text);
    const said = [error, message].find((each) => typeof each === "string");
    return said && (hint ? `${said} (${hint})` : said);
  } catch {
    return text === "" || text.startsWith("<") ? undefined : text.slice(0, 300);
  }
}

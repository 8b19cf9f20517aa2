/** The server's routes for documents. */
import { saveFile } from "./elements.js";
import { request, requestJson } from "./request.js";

export function listDocuments({ words = "", offset = 0, limit = 50 }) {
  return requestJson(`/documents?${new URLSearchParams({ words, offset, limit })}`);
}

/** @returns undefined for an unknown document */
export async function showDocument(path) {
  const response = await request(`/documents/show?${new URLSearchParams({ path })}`, {
    allow: [404],
  });
  return response.ok ? response.json() : undefined;
}

export function fileAddress(path) {
  return `/documents/file?${new URLSearchParams({ path })}`;
}

/** Saves the file, where a link to it would need a key. */
export async function openFile(path) {
  saveFile(await (await request(fileAddress(path))).blob(), path.slice(path.lastIndexOf("/") + 1));
}

/** Returns the passage with this id, else the one with this line, if there is one. */
export async function passageAt({ path, id, line }) {
  const query = { path, ...(id && { id }), ...(line && { line }) };
  const response = await request(`/documents/passage?${new URLSearchParams(query)}`, {
    allow: [404],
  });
  return response.ok ? response.json() : undefined;
}

export async function removeDocument(path) {
  await request(`/documents?${new URLSearchParams({ path })}`, { method: "DELETE" });
}

/** @returns its state, and the reason if it was not ingested */
export function uploadDocument({ path, file, signal }) {
  return requestJson(`/documents/file?${new URLSearchParams({ path })}`, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream" },
    body: file,
    signal,
  });
}

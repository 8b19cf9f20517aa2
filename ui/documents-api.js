/** The documents of the knowledge base, by the server's routes for them. */
import { request, requestJson } from "./request.js";

export function listDocuments({ filter = "", offset = 0, limit = 50 }) {
  return requestJson(`/documents?${new URLSearchParams({ filter, offset, limit })}`);
}

/** @returns undefined for a document that is not there */
export async function showDocument(path) {
  const response = await request(`/documents/show?${new URLSearchParams({ path })}`, {
    allow: [404],
  });
  return response.ok ? response.json() : undefined;
}

/** The passage with this id, else the one with this line; undefined for one that is not there. */
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

export async function whyNot(file) {
  return (await requestJson(`/documents/why-not?${new URLSearchParams({ file })}`)).reason;
}

/** @returns its state, and why where it was not taken */
export function uploadDocument({ path, file, signal }) {
  return requestJson(`/documents/file?${new URLSearchParams({ path })}`, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream" },
    body: file,
    signal,
  });
}

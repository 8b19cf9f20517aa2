/** Conversations on the server: LangGraph threads that this page created, each with a title. */
import { hasKey, post, request } from "./request.js";
import { plainText } from "./rich-text.js";

const MAX_TITLE = 80;
const MAX_THREADS = 500;
const OURS = { source: "page" };
const MAX_SAID = 6000;

/** Without keys, conversations belong to the browser that began them. */
function ours() {
  return hasKey() ? OURS : { ...OURS, browser: browserId() };
}

function browserId() {
  const KEY = "corrective-rag-browser";
  // Without TLS, browsers have no `randomUUID`.
  const id =
    localStorage.getItem(KEY) ??
    Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
  localStorage.setItem(KEY, id);
  return id;
}

/** Returns the conversations, newest first. */
export async function listThreads() {
  const response = await post("/threads/search", {
    metadata: ours(),
    limit: MAX_THREADS,
    sort_by: "updated_at",
    select: ["thread_id", "metadata", "updated_at"],
  });
  return (await response.json()).map(({ thread_id: id, metadata, updated_at: at }) => ({
    id,
    title: metadata?.title ?? "Untitled",
    said: metadata?.said ?? "",
    at: new Date(at),
  }));
}

export async function createThread(title) {
  const response = await post("/threads", { metadata: { ...ours(), title: cut(title) } });
  return (await response.json()).thread_id;
}

export async function renameThread(id, title) {
  await post(placeOf(id), { metadata: { title: cut(title) } }, { method: "PATCH" });
}

/** Keeps what was said in a conversation where the search in the list finds it. */
export async function noteThread(id, turns) {
  const said = turns.map(({ question, answer }) => `${question}\n${plainText(answer)}`).join("\n");
  await post(placeOf(id), { metadata: { said: said.slice(-MAX_SAID) } }, { method: "PATCH" });
}

export async function deleteThread(id) {
  await request(placeOf(id), { method: "DELETE", allow: [404] });
}

/** False for a thread that the server has lost. */
export async function threadExists(id) {
  return (await request(placeOf(id), { allow: [404, 400] })).ok;
}

function placeOf(id) {
  return `/threads/${encodeURIComponent(id)}`;
}

function cut(title) {
  const line = title.replace(/\s+/g, " ").trim();
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1).trimEnd()}…`;
}

/** Conversations on the server: LangGraph threads that this page created, each with a title. */
import { post, request } from "./request.js";

const MAX_TITLE = 80;
const MAX_THREADS = 500;
const OURS = { source: "page" };

/** Returns the conversations, newest first. */
export async function listThreads() {
  const response = await post("/threads/search", {
    metadata: OURS,
    limit: MAX_THREADS,
    sort_by: "updated_at",
    select: ["thread_id", "metadata", "updated_at"],
  });
  return (await response.json()).map(({ thread_id: id, metadata, updated_at: at }) => ({
    id,
    title: metadata?.title ?? "Untitled",
    at: new Date(at),
  }));
}

export async function createThread(title) {
  const response = await post("/threads", { metadata: { ...OURS, title: cut(title) } });
  return (await response.json()).thread_id;
}

export async function renameThread(id, title) {
  await post(placeOf(id), { metadata: { title: cut(title) } }, { method: "PATCH" });
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

/** The part of the LangGraph API that the page uses: threads, streamed runs, their state. */
import { ApiError, hasKey, post, request, requestJson } from "./request.js";
import { plainText } from "./rich-text.js";

const MAX_TITLE = 80;
const MAX_THREADS = 500;
const MAX_SAID = 6000;

/** A stream broke off: the server is gone, or the device slept. */
export class ConnectionLostError extends ApiError {
  constructor() {
    super("the connection to the server was lost. The page goes on as soon as it is back.");
  }
}

export function about() {
  return requestJson("/app/about");
}

/** Returns the schema of a run's settings: descriptions, choices and defaults. */
export async function settingsForm() {
  return (await requestJson("/assistants/agent/schemas")).context_schema;
}

/**
 * Returns the values of a thread's newest checkpoint, and the request if its run waits for a
 * person; undefined if there is no such thread.
 */
export async function threadState(threadId) {
  const response = await request(`${placeOf(threadId)}/state`, { allow: [404, 400] });
  if (!response.ok) return undefined;
  const { values, tasks = [] } = await response.json();
  const [waiting] = tasks.flatMap(({ interrupts = [] }) => interrupts.map(({ value }) => value));
  return { values, asked: Array.isArray(waiting?.actionRequests) ? waiting : undefined };
}

/** Returns how a thread stood after each question, by the number of questions: `{ id, values }` of its newest checkpoint. */
export async function statesByQuestions(threadId) {
  const response = await post(`${placeOf(threadId)}/history`, { limit: 100 });
  const isHuman = ({ type, role }) => type === "human" || role === "user";
  const ended = (await response.json()).filter(({ next }) => next.length === 0);
  // Newest first; of two with the same number the newest counts.
  return new Map(
    ended
      .reverse()
      .map(({ values, checkpoint }) => [
        (values.messages ?? []).filter(isHuman).length,
        { id: checkpoint.checkpoint_id, values },
      ]),
  );
}

/**
 * Runs the agent on a thread and yields the events as they happen. `graph_outcome` brings the final
 * answer; the stream ends when the thread's state is complete.
 * @param payload `input` with a question, and the id of the `checkpoint` that it follows if that is
 *   not the newest; the `command` that resumes a run; or the id of a run under way to `join`
 * @param onRun called with the run's id, for cancelling it
 */
export async function* run({ threadId, payload, context, signal, onRun }) {
  const runs = `${placeOf(threadId)}/runs`;
  const { join, checkpoint = null, ...asked } = payload;
  const response =
    join === undefined
      ? await post(
          `${runs}/stream`,
          {
            assistant_id: "agent",
            ...asked,
            context,
            // Without null the development server would begin where the last edit began.
            config: { configurable: { checkpoint_id: checkpoint } },
            stream_mode: ["custom"],
            // Another tab may be waiting for an answer.
            multitask_strategy: "enqueue",
            // A closed or reloaded tab finds the answer when it is opened again.
            on_disconnect: "continue",
          },
          { signal },
        )
      : await request(`${runs}/${encodeURIComponent(join)}/stream`, { signal });
  // Known before the first event: a connection may be lost by then.
  onRun(join ?? response.headers.get("content-location")?.split("/").at(-1));
  for await (const { event, data } of serverSentEvents(response.body)) {
    if (event === "metadata") onRun(data.run_id);
    else if (event === "custom") yield data;
    else if (event === "error") throw new ApiError(data.message ?? "the run failed");
  }
}

/**
 * Returns the newest run of a thread if it has no answer yet: `{ id, question, isCut }`, where
 * `isCut` says that the server stopped in the middle of it.
 */
export async function unansweredRun(threadId) {
  const [last] = await requestJson(`${placeOf(threadId)}/runs?limit=1`);
  const question = last?.kwargs?.input?.question;
  const isOpen = last?.status === "pending" || last?.status === "running";
  if (!isOpen && last?.status !== "interrupted") return undefined;
  return { id: last.run_id, question, isCut: !isOpen };
}

export async function cancel({ threadId, runId }) {
  await post(`${placeOf(threadId)}/runs/${encodeURIComponent(runId)}/cancel?wait=1`, {});
}

async function* serverSentEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw error.name === "AbortError" ? error : new ConnectionLostError();
    });
    buffer += value ?? "";
    const blocks = buffer.split(/\r?\n\r?\n/);
    buffer = done ? "" : (blocks.pop() ?? "");
    for (const block of blocks) {
      const field = (name) =>
        block
          .split(/\r?\n/)
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).trimStart())
          .join("\n");
      const data = field("data");
      if (data !== "") yield { event: field("event"), data: JSON.parse(data) };
    }
    if (done) return;
  }
}

/** Returns the conversations, newest first: threads that this page created, each with a title. */
export async function listThreads() {
  const response = await post("/threads/search", {
    metadata: ownerOfThreads(),
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
  const response = await post("/threads", { metadata: { ...ownerOfThreads(), title: cut(title) } });
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

function placeOf(threadId) {
  return `/threads/${encodeURIComponent(threadId)}`;
}

/** Without keys, conversations belong to the browser that began them. */
function ownerOfThreads() {
  const page = { source: "page" };
  return hasKey() ? page : { ...page, browser: browserId() };
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

function cut(title) {
  const line = title.replace(/\s+/g, " ").trim();
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1).trimEnd()}…`;
}

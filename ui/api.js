/** The part of the LangGraph API that the page needs: a thread, a streamed run, its final state. */

/** The server's answer was not what it should be. */
export class ApiError extends Error {}

export async function about() {
  return readJson(await fetch("/app/about"));
}

export async function createThread() {
  const { thread_id: threadId } = await readJson(
    await post("/threads", { metadata: { source: "page" } }),
  );
  return threadId;
}

/** The values of a thread's newest checkpoint; undefined when there is no such thread. */
export async function threadValues(threadId) {
  const response = await fetch(`/threads/${encodeURIComponent(threadId)}/state`);
  if (response.status === 404) return undefined;
  return (await readJson(response)).values;
}

/**
 * Asks a question on a thread and yields the run's events as they happen. The last text of the answer comes with `graph_outcome`; the stream ends
 * when the thread's state is complete.
 * @param onRun told the run's id, so that it can be cancelled
 */
export async function* ask({ threadId, question, context, signal, onRun }) {
  const response = await post(
    `/threads/${encodeURIComponent(threadId)}/runs/stream`,
    {
      assistant_id: "agent",
      input: { question },
      context,
      stream_mode: ["custom"],
      multitask_strategy: "interrupt",
      on_disconnect: "cancel",
    },
    signal,
  );
  if (!response.ok || response.body === null) throw new ApiError(await explain(response));
  for await (const { event, data } of serverSentEvents(response.body)) {
    if (event === "metadata") onRun(data.run_id);
    else if (event === "custom") yield data;
    else if (event === "error") throw new ApiError(data.message ?? "the run failed");
  }
}

export async function cancel({ threadId, runId }) {
  await post(
    `/threads/${encodeURIComponent(threadId)}/runs/${encodeURIComponent(runId)}/cancel?wait=1`,
    {},
  );
}

async function* serverSentEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
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

function post(path, body, signal) {
  return fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
}

async function readJson(response) {
  if (!response.ok) throw new ApiError(await explain(response));
  return response.json();
}

async function explain(response) {
  const text = await response.text().catch(() => "");
  return `the server answered ${response.status}${text === "" ? "" : `: ${text.slice(0, 300)}`}`;
}

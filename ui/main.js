/** The page: a conversation on one thread. Its address keeps the thread, so that a reload brings the conversation back. */
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { about, ask, cancel, createThread, threadValues } from "./api.js";
import { Composer } from "./composer.js";
import { html } from "./html.js";
import { plainText } from "./rich-text.js";
import { ThemeSwitch } from "./theme.js";
import { failed, newTurn, stopped, turnsOf, withEvent, withValues } from "./turn.js";
import { TurnView } from "./turn-view.js";
import { Welcome } from "./welcome.js";
import { VERDICTS } from "./words.js";

function App() {
  const [turns, setTurns] = useState([]);
  const [text, setText] = useState("");
  const [settings, setSettings] = useState({});
  const [info, setInfo] = useState(undefined);
  const [spoken, setSpoken] = useState("");
  const thread = useRef(threadInAddress());
  const run = useRef(undefined);
  const busy = turns.at(-1)?.status === "running";

  useEffect(() => {
    about().then(setInfo, (error) => setInfo({ error: error.message }));
    if (thread.current === undefined) return;
    threadValues(thread.current).then(
      (values) => setTurns((now) => (now.length === 0 ? turnsOf(values ?? {}) : now)),
      () => undefined,
    );
  }, []);

  // The newest question comes to the top once, and then stays where the reader puts it.
  useEffect(() => {
    if (turns.length > 0) document.getElementById(`turn-${turns.length - 1}`)?.scrollIntoView({ block: "start" });
  }, [turns.length]);

  const change = (update) => setTurns((now) => [...now.slice(0, -1), update(now.at(-1))]);

  async function onAsk(question) {
    const current = { abort: new AbortController(), runId: undefined };
    run.current = current;
    setText("");
    setSpoken("Searching");
    setTurns((now) => [...now, newTurn(question)]);
    try {
      thread.current ??= await createThread();
      history.replaceState(null, "", `#thread=${thread.current}`);
      const events = ask({
        threadId: thread.current,
        question,
        context: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
        signal: current.abort.signal,
        onRun: (runId) => (current.runId = runId),
      });
      for await (const event of events) {
        if (run.current !== current) return;
        change((turn) => withEvent(turn, event));
        if (event.type === "rag_iteration") setSpoken(`Evidence graded ${VERDICTS[event.label]}, ${event.evalScore.toFixed(2)}`);
        if (event.type === "graph_outcome") setSpoken(`Answer: ${plainText(event.answer)}`);
      }
      const values = await threadValues(thread.current);
      if (run.current === current) change((turn) => withValues(turn, values));
    } catch (error) {
      if (run.current !== current || current.abort.signal.aborted) return;
      change((turn) => failed(turn, `The question could not be answered: ${error.message}`));
    }
  }

  function onStop() {
    const current = run.current;
    run.current = undefined;
    change(stopped);
    setSpoken("Stopped");
    current?.abort.abort();
    if (current?.runId !== undefined) cancel({ threadId: thread.current, runId: current.runId }).catch(() => undefined);
  }

  function onNew() {
    if (busy) onStop();
    run.current = undefined;
    thread.current = undefined;
    history.replaceState(null, "", location.pathname);
    setTurns([]);
    setSpoken("New conversation");
    document.getElementById("question")?.focus();
  }

  return html`<a class="skip" href="#question">Skip to the question</a>
    <header>
      <p class="brand"><img src="/app/icon.svg" alt="" width="24" height="24" /> Corrective RAG</p>
      <div class="header-actions">
        ${turns.length > 0 && html`<button type="button" class="quiet" onClick=${onNew} aria-label="New conversation">New<span class="rest"> conversation</span></button>`}
        <${ThemeSwitch} />
      </div>
    </header>
    <main>
      <h1 class=${turns.length > 0 ? "visually-hidden" : ""}>Ask your documents</h1>
      ${turns.length === 0 && html`<${Welcome} info=${info} onAsk=${onAsk} />`}
      ${turns.map((turn, index) => html`<${TurnView} key=${index} turn=${turn} index=${index} />`)}
    </main>
    <p class="visually-hidden" role="status" aria-live="polite">${spoken}</p>
    <footer>
      <${Composer}
        text=${text}
        onText=${setText}
        settings=${settings}
        onSettings=${setSettings}
        busy=${busy}
        onAsk=${onAsk}
        onStop=${onStop}
      />
    </footer>`;
}

function threadInAddress() {
  return /^#thread=([\w-]+)$/.exec(location.hash)?.[1];
}

render(html`<${App} />`, document.getElementById("app"));

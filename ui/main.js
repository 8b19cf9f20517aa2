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

const TITLE = "Corrective RAG";

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
    if (turns.length > 0)
      document.getElementById(`turn-${turns.length - 1}`)?.scrollIntoView({ block: "start" });
  }, [turns.length]);

  // "/" leads to the question from anywhere, Escape stops the run.
  useEffect(() => {
    const onKey = (event) => {
      if (event.key === "Escape" && busy) onStop();
      if (
        event.key !== "/" ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTyping(event.target)
      )
        return;
      event.preventDefault();
      document.getElementById("question")?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });

  useEffect(() => {
    const question = turns.at(-1)?.question;
    document.title = question === undefined ? TITLE : `${busy ? "… " : ""}${question} – ${TITLE}`;
  }, [turns.length, busy]);

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
        context: contextOf(settings),
        signal: current.abort.signal,
        onRun: (runId) => (current.runId = runId),
      });
      for await (const event of events) {
        if (run.current !== current) return;
        change((turn) => withEvent(turn, event));
        if (event.type === "rag_iteration")
          setSpoken(`Evidence graded ${VERDICTS[event.label]}, ${event.evalScore.toFixed(2)}`);
        if (event.type === "graph_outcome") setSpoken(`Answer: ${plainText(event.answer)}`);
      }
      const values = await threadValues(thread.current);
      if (run.current === current) change((turn) => withValues(turn, values));
    } catch (error) {
      if (run.current !== current || current.abort.signal.aborted) return;
      change((turn) => failed(turn, `The question could not be answered: ${reasonOf(error)}`));
    }
  }

  function onStop() {
    const current = run.current;
    run.current = undefined;
    change(stopped);
    setSpoken("Stopped");
    current?.abort.abort();
    if (current?.runId !== undefined)
      cancel({ threadId: thread.current, runId: current.runId }).catch(() => undefined);
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

  const mayAskAgain = ({ status }, index) =>
    index === turns.length - 1 && (status === "failed" || status === "stopped");

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
      ${turns.map((turn, index) => html`<${TurnView} key=${index} turn=${turn} index=${index} onAgain=${mayAskAgain(turn, index) ? onAsk : undefined} />`)}
    </main>
    <p class="visually-hidden" role="status" aria-live="polite">${spoken}</p>
    <footer>
      <${Composer}
        text=${text}
        last=${turns.at(-1)?.question}
        onText=${setText}
        settings=${settings}
        onSettings=${setSettings}
        busy=${busy}
        onAsk=${onAsk}
        onStop=${onStop}
      />
    </footer>`;
}

/** What was left to the environment is not said; numbers go as numbers. */
function contextOf({ max_iterations: corrections, ...settings }) {
  const chosen = Object.entries(settings).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(chosen),
    ...(corrections !== undefined && { max_iterations: Number(corrections) }),
  };
}

/** A browser says "Failed to fetch" when nobody answers. */
function reasonOf(error) {
  return error instanceof TypeError
    ? "the server does not answer. Is it still running? (npm run dev)"
    : error.message;
}

function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function threadInAddress() {
  return /^#thread=([\w-]+)$/.exec(location.hash)?.[1];
}

render(html`<${App} />`, document.getElementById("app"));

/** A conversation on one thread: its turns, and the actions on it. */
import { useEffect, useRef, useState } from "preact/hooks";
import {
  cancel,
  ConnectionLostError,
  createThread,
  noteThread,
  run as runOn,
  statesByQuestions,
  threadState,
  unansweredRun,
} from "./api.js";
import { plainText } from "./rich-text.js";
import { newTurn, turnsOf, withEvent, withState, withValues } from "./turn.js";
import { VERDICTS } from "./words.js";

const GONE = "This conversation is no longer on the server. Your next question starts a new one.";
const CUT = "The answer was interrupted.";
const RETRY_DELAY_MS = 2_000;

/**
 * @param context settings of the runs
 * @param say announces a text to screen readers
 * @param onChange called when the list of conversations may have changed
 */
export function useConversation({ context, say, onChange }) {
  const [turns, setTurns] = useState([]);
  const [notice, setNotice] = useState(undefined);
  const [threadId, setThreadId] = useState(threadInAddress);
  const run = useRef(undefined);
  const thread = useRef(threadId);
  const shown = useRef(turns);
  shown.current = turns;
  const busy = turns.at(-1)?.status === "running";

  const useThread = (id) => {
    thread.current = id;
    setThreadId(id);
    history.replaceState(null, "", id === undefined ? location.pathname : `#thread=${id}`);
  };
  const change = (update, index = -1) => setTurns((now) => now.with(index, update(now.at(index))));
  const set = (fields, index) => change((turn) => ({ ...turn, ...fields }), index);
  const fail = ({ message, status }) => {
    if (status === 404) useThread(undefined);
    const error = status === 404 ? GONE : `The question could not be answered: ${message}`;
    set({ status: "failed", isDraft: false, error });
  };

  async function load(id) {
    try {
      const state = await threadState(id);
      if (thread.current !== id || run.current !== undefined) return;
      if (state === undefined) {
        useThread(undefined);
        setNotice(GONE);
        onChange();
        return;
      }
      const messages = turnsOf(state.values);
      const states = messages.length > 1 ? await statesByQuestions(id) : new Map();
      const earlier = messages.map((turn, index) => withState(turn, states.get(index + 1)));
      const unanswered = await unansweredRun(id);
      if (thread.current !== id || run.current !== undefined) return;
      setTurns(earlier);
      if (unanswered !== undefined && (await goOn(unanswered, earlier))) return;
      // The run was already waiting for a person when the page was opened.
      if (state.asked !== undefined && earlier.length > 0) await proceed(newRun(), state.asked);
    } catch (error) {
      setNotice(`The conversation could not be opened: ${error.message}`);
    }
  }

  /** Shows the answer that was being written when the page was opened; false if there is none. */
  async function goOn({ id, question, isCut }, earlier) {
    const last = earlier.at(-1);
    const stands = question === undefined || (last?.question === question && last.answer === "");
    // A run that a person has stopped, or that waits for one, is in the thread already.
    if (isCut && stands) return false;
    if (!stands) setTurns([...earlier, newTurn(question)]);
    else if (earlier.length > 0) set({ status: "running", isDraft: true, rounds: [], answer: "" });
    if (isCut) set({ status: "failed", isDraft: false, error: CUT });
    else await proceed(newRun(), undefined, { join: id });
    return true;
  }

  useEffect(() => {
    if (thread.current !== undefined) void load(thread.current);
    const onAddress = () => {
      const id = threadInAddress();
      if (id !== undefined && id !== thread.current) open(id);
    };
    addEventListener("hashchange", onAddress);
    return () => removeEventListener("hashchange", onAddress);
  }, []);

  /** Leaves a running answer to itself; it is there when the conversation is opened again. */
  function leave() {
    run.current?.abort.abort();
    run.current = undefined;
    setTurns([]);
    setNotice(undefined);
  }

  function open(id) {
    leave();
    useThread(id);
    void load(id);
  }

  function begin() {
    leave();
    useThread(undefined);
    say("New conversation");
  }

  function newRun() {
    run.current = { abort: new AbortController(), runId: undefined };
    return run.current;
  }

  /** Asks another question in place of an earlier one and of what followed it. */
  async function edit(index, question) {
    if (index === 0) {
      begin();
      return send(question);
    }
    const states = await statesByQuestions(thread.current).catch(() => new Map());
    const checkpoint = states.get(index)?.id;
    if (checkpoint !== undefined) setTurns(turns.slice(0, index));
    return send(question, checkpoint);
  }

  async function send(question, checkpoint) {
    const current = newRun();
    setNotice(undefined);
    say("Searching");
    setTurns((now) => [...now, newTurn(question)]);
    try {
      if (thread.current === undefined) {
        useThread(await createThread(question));
        onChange();
      }
      if (run.current === current)
        await proceed(current, undefined, {
          input: { question },
          checkpoint,
        });
    } catch (error) {
      if (run.current === current) fail(error);
    } finally {
      onChange();
    }
  }

  /** Runs until there is an answer, and resumes after each question to the person. */
  async function proceed(current, asked, payload) {
    const isCurrent = () => run.current === current;
    let next = payload ?? (await decided(asked));
    try {
      while (isCurrent()) {
        const events = runOn({
          threadId: thread.current,
          payload: next,
          context,
          signal: current.abort.signal,
          onRun: (runId) => (current.runId = runId),
        });
        for await (const event of events) {
          if (!isCurrent()) return;
          change((turn) => withEvent(turn, event));
          if (event.type === "rag_iteration") say(`Found ${VERDICTS[event.label]}`);
          if (event.type === "graph_outcome") say(`Answer: ${plainText(event.answer)}`);
        }
        // Another tab may have asked in this conversation: its run waits, is under way, or is done.
        const unanswered = await unansweredRun(thread.current).catch(() => undefined);
        const state = await threadState(thread.current);
        if (!isCurrent()) return;
        if (state?.asked === undefined) {
          const known = turnsOf(state?.values ?? {});
          const { length, [length - 1]: last } = shown.current;
          const isNext = unanswered?.isCut === false && unanswered.id !== current.runId;
          const question = state?.values.question ?? last.question;
          if (isNext || known.length > length || question !== last.question) {
            await loadAgain();
            return;
          }
          change((turn) => withValues(turn, state?.values));
          await noteThread(thread.current, known).catch(() => undefined);
          return;
        }
        next = await decided(state.asked);
      }
    } catch (error) {
      if (!isCurrent() || current.abort.signal.aborted) return;
      fail(error);
      if (error instanceof ConnectionLostError && current.runId !== undefined)
        await loadOnceThere(current);
    }
  }

  function loadAgain() {
    run.current = undefined;
    return load(thread.current);
  }

  /** Waits for the server, on which the run may have gone on, unless the reader does not wait. */
  async function loadOnceThere(current) {
    const isCurrent = () => run.current === current;
    for (let isThere = false; isCurrent() && !isThere;) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      isThere = await threadState(thread.current).then(
        () => true,
        () => false,
      );
    }
    if (isCurrent()) await loadAgain();
  }

  /** Shows a request and waits for the decision. */
  async function decided(asked) {
    say(asked.actionRequests.map(({ description }) => description).join(" "));
    const decisions = await new Promise((decide) =>
      set({ status: "running", request: { actions: asked.actionRequests, decide } }),
    );
    set({ request: undefined });
    return { command: { resume: { decisions } } };
  }

  function stop() {
    const current = run.current;
    run.current = undefined;
    set({ status: "stopped", isDraft: false, request: undefined });
    say("Stopped");
    current?.abort.abort();
    if (current?.runId !== undefined)
      cancel({ threadId: thread.current, runId: current.runId }).catch(() => undefined);
  }

  return { turns, notice, threadId, busy, send, edit, stop, open, begin };
}

function threadInAddress() {
  return /^#thread=([\w-]+)$/.exec(location.hash)?.[1];
}

/** "Helps" and "does not help", on an answer and on its passages; the server keeps them as labels. */
import { useState } from "preact/hooks";
import { html, IconButton } from "./elements.js";
import { put } from "./request.js";

/** @returns undefined while the turn has no answer that could be judged */
export function useFeedback({ threadId, turn }) {
  const [given, setGiven] = useState({ score: 0, passages: {} });
  const [error, setError] = useState(undefined);
  const details = turn.result?.details;
  const isOver = turn.status !== "running" && turn.outcome?.status !== "failed";
  if (threadId === undefined || !details?.run_id || !isOver) return undefined;
  const give = async (change) => {
    const next = { ...given, ...change };
    setGiven(next);
    setError(undefined);
    const passages = Object.values(next.passages).filter(Boolean);
    const question = details.standalone_question || turn.question;
    const label = { question, passages };
    const place = `/threads/${encodeURIComponent(threadId)}/runs/${details.run_id}/feedback`;
    await put(place, { score: next.score, label }).catch((failure) => {
      setGiven(given);
      setError(`This could not be kept: ${failure.message}`);
    });
  };
  return {
    error,
    score: given.score,
    rate: (score) => give({ score }),
    scoreOf: (id) => scoreOf(given.passages[id]),
    /** @param passage `{ title, headings, text }` */
    ratePassage: (id, passage, score) =>
      give({
        passages: {
          ...given.passages,
          [id]: score === 0 ? undefined : { ...passage, relevant: score > 0 },
        },
      }),
  };
}

function scoreOf(passage) {
  if (passage === undefined) return 0;
  return passage.relevant ? 1 : -1;
}

/**
 * Two buttons; pressing the pressed one takes it back.
 * @param what that is judged, for screen readers
 */
export function Verdict({ score, what, onScore }) {
  return html`<span class="verdicts" role="group" aria-label=${`Does ${what} help?`}>
    ${[
      [1, "thumb-up", "Helps"],
      [-1, "thumb-down", "Does not help"],
    ].map(
      ([value, icon, label]) =>
        html`<${IconButton}
          icon=${icon}
          label=${label}
          aria-pressed=${score === value}
          onClick=${() => onScore(score === value ? 0 : value)}
        />`,
    )}
  </span>`;
}

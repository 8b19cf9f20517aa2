/** What a reader can do after an answer, or without one. */
import { html } from "./elements.js";
import { plainText } from "./rich-text.js";

const MOST_HEADINGS = 3;
/** Relevance from which a passage is about the question; ungraded ones may be. */
const RELEVANT = 0.5;

/** Ways to an answer where there is none. */
export function NextSteps({ turn, info, onShow }) {
  const isWebMissed = turn.outcome.causes.includes("web_unavailable");
  const isEmbedded = info?.reasoner === "embedded";
  const isNothing = turn.outcome.status === "abstained";
  if (!isWebMissed && !isEmbedded && !isNothing) return null;
  return html`<section class="next" aria-label="What you can do">
    <h3>What you can do</h3>
    <ul>
      ${
        isNothing &&
        html`<li>
          <button type="button" class="link" onClick=${() => onShow()}>Add documents</button> that
          hold the answer.
        </li>`
      }
      ${isWebMissed && html`<li>${info?.web ? "Let it search the web: allow it in the settings, or when you are asked." : `Let it search the web: ${info?.web_advice} where the server runs.`}</li>`}
      ${isEmbedded && html`<li>Let a model read the passages and answer: set OPENAI_API_KEY or OPENAI_BASE_URL where the server runs.</li>`}
    </ul>
  </section>`;
}

/** Up to three further questions, made from the headings of the relevant passages. */
export function FollowUps({ turn, onAsk }) {
  const headings = headingsOf(turn);
  if (headings.length === 0 || turn.outcome?.status === "failed") return null;
  return html`<section class="follow-ups" aria-label="Read on">
    <h3>Read on</h3>
    <ul>
      ${headings.map(
        (heading) =>
          html`<li>
            <button
              type="button"
              class="small"
              dir="auto"
              onClick=${() => onAsk(questionOf(heading))}
            >
              ${heading}
            </button>
          </li>`,
      )}
    </ul>
  </section>`;
}

/** Returns headings that the answer does not come from, and that the question does not name. */
function headingsOf({ question, passages = [], result }) {
  const { kept = [] } = result?.details ?? {};
  const last = ({ source }) => plainText(source.heading?.split(" > ").at(-1)?.trim() ?? "");
  const asked = question.toLowerCase();
  const used = new Set([...(result?.sources ?? []), ...passages].map(last));
  const others = kept
    .filter(({ score }) => (score ?? 1) >= RELEVANT)
    .map(last)
    .filter((heading) => heading.length > 3 && heading.length <= 60)
    .filter((heading) => !used.has(heading) && !asked.includes(heading.toLowerCase()));
  return [...new Set(others)].slice(0, MOST_HEADINGS);
}

function questionOf(heading) {
  return heading.endsWith("?") ? heading : `What do the documents say about “${heading}”?`;
}

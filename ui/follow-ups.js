/** Up to three further questions, made from the headings of the passages that were found. */
import { html } from "./html.js";

const MOST = 3;

export function FollowUps({ turn, onAsk }) {
  const headings = headingsOf(turn);
  if (headings.length === 0) return null;
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

/** Headings that the answer does not come from, and that the question does not name already. */
function headingsOf({ question, passages = [], result }) {
  const { kept = [], discarded = [] } = result?.details ?? {};
  const last = ({ source }) => source.heading?.split(" > ").at(-1)?.trim() ?? "";
  const asked = question.toLowerCase();
  const used = new Set([...(result?.sources ?? []), ...passages].map(last));
  const others = [...kept, ...discarded]
    .map(last)
    .filter((heading) => heading.length > 3 && heading.length <= 60)
    .filter((heading) => !used.has(heading) && !asked.includes(heading.toLowerCase()));
  return [...new Set(others)].slice(0, MOST);
}

function questionOf(heading) {
  return heading.endsWith("?") ? heading : `What do the documents say about “${heading}”?`;
}

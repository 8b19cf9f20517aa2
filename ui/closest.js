/** What is shown in place of an answer: the closest passages, and next steps. */
import { html } from "./html.js";
import { BEST, readable, RichText } from "./rich-text.js";
import { Place } from "./sources.js";

/** Whole passages, the sentence that answers best marked; each opens its document. */
export function ClosestPassages({ passages, onShow }) {
  return html`<section class="closest" aria-label="Closest passages">
    <ol>
      ${passages.map(
        ({ evidence_id: id, source, headings, text, best }, index) =>
          html`<li key=${id} class="closest-passage">
            <p class="source-title">
              <span class="number" aria-hidden="true">${index + 1}</span>
              <span dir="auto">${headings.join(" › ")}</span>
            </p>
            <div class="closest-text">
              <${RichText}
                text=${withBest(readable({ text, kind: kindOf(source) }), best)}
                renderCitation=${(marker) => `[${marker}]`}
              />
            </div>
            <${Place} source=${source} id=${id} onShow=${onShow} />
          </li>`,
      )}
    </ol>
  </section>`;
}

function kindOf({ path = "" }) {
  if (/\.pdf$/i.test(path)) return "pdf";
  return /\.(?:md|mdx|markdown)$/i.test(path) ? "markdown" : "";
}

/** Marks each line of the best sentence, and each cell of a row; code cannot be marked. */
function withBest(text, best) {
  if (best === null) return text;
  const [open, close] = BEST;
  const [start, end] = best;
  const sentence = text.slice(start, end);
  if (/^\s*(?:```|~~~)/.test(sentence)) return text;
  const marked = sentence
    .split("\n")
    .map((line) => {
      const isRow = /^\s*\|.*\|\s*$/.test(line);
      const parts = isRow ? line.split("|") : [line];
      return parts
        .map((part) => (part.trim() === "" ? part : `${open}${part.trim()}${close}`))
        .join("|");
    })
    .join("\n");
  return text.slice(0, start) + marked + text.slice(end);
}

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

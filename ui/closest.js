/** What is shown in place of an answer: the closest passages, and next steps. */
import { Verdict } from "./feedback.js";
import { html } from "./html.js";
import { kindOf, PassageText } from "./passage.js";
import { Place } from "./sources.js";

/** Whole passages, the sentence that answers best marked; each opens its document. */
export function ClosestPassages({ passages, feedback, onShow }) {
  return html`<section class="closest" aria-label="Closest passages">
    <ol>
      ${passages.map(
        ({ evidence_id: id, source, headings, text, best }, index) =>
          html`<li key=${id} class="closest-passage">
            <p class="source-title">
              <span class="number" aria-hidden="true">${index + 1}</span>
              <span dir="auto">${headings.join(" › ")}</span>
            </p>
            <div class="passage-text" dir="auto">
              <${PassageText} text=${text} kind=${kindOf(source)} spans=${best ? [best] : []} />
            </div>
            <p class="source-end">
              <${Place} source=${source} id=${id} quotes=${quotesOf(text, best)} onShow=${onShow} />
              ${
                feedback &&
                html`<${Verdict}
                  score=${feedback.scoreOf(id)}
                  what="this passage"
                  onScore=${(score) =>
                    feedback.ratePassage(
                      id,
                      { title: headings[0] ?? "", headings: headings.slice(1), text },
                      score,
                    )}
                />`
              }
            </p>
          </li>`,
      )}
    </ol>
  </section>`;
}

function quotesOf(text, best) {
  return best === null ? [] : [{ quote: text.slice(...best), start: best[0], end: best[1] }];
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

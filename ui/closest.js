/** The passages that come closest, in place of an answer. */
import { html } from "./elements.js";
import { Verdict } from "./feedback.js";
import { PassageText, plainText } from "./rich-text.js";
import { Place } from "./sources.js";

/** Whole passages, the sentence that answers best marked; each opens its document. */
export function ClosestPassages({ passages, feedback, onShow }) {
  return html`<section class="closest" aria-label="Closest passages">
    <ol>
      ${passages.map(
        ({ evidence_id: id, source, headings, text, blocks, best }, index) =>
          html`<li key=${id} class="closest-passage">
            <p class="source-title">
              <span class="number" aria-hidden="true">${index + 1}</span>
              <span dir="auto">${plainText(headings.join(" › "))}</span>
            </p>
            <div class="passage-text" dir="auto">
              <${PassageText} ...${{ text, blocks, source }} spans=${best ? [best] : []} />
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

/** Suggestions after an abstention: the nearest passages, next steps, a best guess. */
import { html } from "./html.js";
import { QuoteText, RichText } from "./rich-text.js";
import { locationOf } from "./words.js";

/** The nearest passages; each opens its document. */
export function Leads({ leads, onShow }) {
  return html`<section class="leads" aria-label="Nearest passages">
    <h3>Nearest in your documents</h3>
    <ul>
      ${leads.map(
        (lead) =>
          html`<li>
            <button type="button" class="lead" onClick=${() => onShow(lead)}>
              <span class="lead-title">${lead.title}</span>
              <code class="path" dir="ltr">${locationOf({ kind: "file", ...lead })}</code>
              ${lead.text !== "" && html`<span class="lead-text" dir="auto"><${QuoteText} text=${lead.text.replace(/```\w*/g, "")} /></span>`}
            </button>
          </li>`,
      )}
    </ul>
  </section>`;
}

export function NextSteps({ turn, info, onShow, onGuess }) {
  const isWebMissed = turn.outcome.causes.includes("web_unavailable");
  return html`<section class="next" aria-label="What you can do">
    <h3>What you can do</h3>
    <ul>
      <li>
        <button type="button" class="link" onClick=${() => onShow()}>Add documents</button> that
        hold the answer.
      </li>
      ${isWebMissed && html`<li>${info?.web ? "Let it search the web: allow it in the settings, or when you are asked." : "Let it search the web: set TAVILY_API_KEY, BRAVE_API_KEY or SEARXNG_URL where the server runs."}</li>`}
      ${info?.reasoner === "embedded" && html`<li>Let a model read the passages: set OPENAI_API_KEY or OPENAI_BASE_URL where the server runs.</li>`}
      ${
        turn.guess === undefined &&
        html`<li>
          <button type="button" class="link" onClick=${onGuess}>See the best guess</button>, which
          is not verified.
        </li>`
      }
    </ul>
  </section>`;
}

export function BestGuess({ guess }) {
  if (guess === undefined) return null;
  if (guess.status === "running")
    return html`<p class="working"><span class="spinner"></span>Looking for the best guess</p>`;
  if (guess.error) return html`<p class="notice">No best guess: ${guess.error}</p>`;
  return html`<section class="guess" aria-label="Best guess">
    <h3>Best guess, not verified</h3>
    <${RichText} text=${guess.answer} />
    <ul class="guess-sources">
      ${guess.sources.map(({ marker, title, source }) => html`<li><span class="number">${marker}</span> ${title} <code class="path" dir="ltr">${locationOf(source)}</code></li>`)}
    </ul>
  </section>`;
}

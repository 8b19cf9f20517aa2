/** What stands there before the first question: what is searched, by whom, and what could be asked. */
import { html } from "./html.js";
import { counted } from "./words.js";

/** The demo knowledge base holds the agent's own documentation; the last of these is not in it. */
const EXAMPLES = [
  "When does the agent search again instead of answering?",
  "What happens when the model fails?",
  "What is the weather in Paris today?",
];

export function Welcome({ info, onAsk }) {
  const isDemo = info?.knowledge_base?.is_demo === true;
  return html`<div class="welcome">
    <p class="lead">
      What is found is judged before it is used. Every answer names its sources; where they do not
      hold one, it says so.
    </p>
    ${info && html`<${Setting} info=${info} />`}
    ${
      isDemo &&
      html`<ul class="examples" aria-label="Examples">
        ${EXAMPLES.map((question) => html`<li><button type="button" onClick=${() => onAsk(question)}>${question}</button></li>`)}
      </ul>`
    }
  </div>`;
}

function Setting({ info }) {
  if (info.error) return html`<p class="notice bad" role="alert">${info.error}</p>`;
  const { is_demo: isDemo, documents, passages } = info.knowledge_base;
  const size = `${counted(documents, "document")}, ${counted(passages, "passage")}`;
  const what = `${isDemo ? "Demo: the agent's own documentation" : "Your knowledge base"}, ${size}.`;
  const how =
    info.reasoner === "embedded" ? " No model is configured, so answers are quotations." : "";
  return html`<p class="setting">
    ${what}${how}${isDemo && html`<br /><span>Bring your own: </span><code>npm run ingest -- PATH</code>`}
  </p>`;
}

/** The page before the first question: what is searched, and example questions. */
import { html, Icon } from "./elements.js";
import { counted } from "./words.js";

/** Questions about the demo, which holds the agent's docs; the last one has no answer there. */
const EXAMPLES = [
  "When does the agent search again instead of answering?",
  "What happens when the model fails?",
  "What is the weather in Paris today?",
];

export function Welcome({ info, onAsk, onDocuments }) {
  const { knowledge_base: base, error } = info ?? {};
  return html`<div class="welcome">
    <p class="lead-in">
      Answers come from your documents, with their sources. If the documents hold no answer, it says
      so.
    </p>
    ${error && html`<p class="notice bad" role="alert">${error}</p>`}
    ${base && html`<${Documents} ...${base} isQuoting=${info.reasoner === "embedded"} onDocuments=${onDocuments} />`}
    ${
      base?.is_demo &&
      html`<ul class="examples" aria-label="Examples">
        ${EXAMPLES.map((question) => html`<li><button type="button" class="example" onClick=${() => onAsk(question)}>${question}</button></li>`)}
      </ul>`
    }
  </div>`;
}

function Documents({ is_demo: isDemo, documents, passages, isQuoting, onDocuments }) {
  const size = `${counted(documents, "document")}, ${counted(passages, "passage")}`;
  return html`<div class="setting">
    <p>
      ${documents === 0 ? "There are no documents yet." : `${size}.`}
      ${isDemo && " For now these are its own documentation."}
      ${isQuoting && " No model is configured, so answers are quotations."}
    </p>
    <button type="button" class="quiet" onClick=${onDocuments}>
      <${Icon}
        name="documents"
      />${isDemo || documents === 0 ? "Add your documents" : "Add or remove documents"}
    </button>
  </div>`;
}

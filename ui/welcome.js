/** The page before the first question: what is searched, and example questions. */
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { counted } from "./words.js";

/** Questions about the demo, which holds the agent's docs; the last one has no answer there. */
const EXAMPLES = [
  "When does the agent search again instead of answering?",
  "What happens when the model fails?",
  "What is the weather in Paris today?",
];

export function Welcome({ info, onAsk, onDocuments }) {
  const isDemo = info?.knowledge_base?.is_demo === true;
  return html`<div class="welcome">
    <p class="lead-in">
      Answers come from your documents, with their sources. If the documents hold no answer, it says
      so.
    </p>
    ${info?.error && html`<p class="notice bad" role="alert">${info.error}</p>`}
    ${info?.knowledge_base && html`<${Setting} info=${info} onDocuments=${onDocuments} />`}
    ${
      isDemo &&
      html`<ul class="examples" aria-label="Examples">
        ${EXAMPLES.map((question) => html`<li><button type="button" class="example" onClick=${() => onAsk(question)}>${question}</button></li>`)}
      </ul>`
    }
  </div>`;
}

function Setting({ info, onDocuments }) {
  const { is_demo: isDemo, documents, passages } = info.knowledge_base;
  const size = `${counted(documents, "document")}, ${counted(passages, "passage")}`;
  return html`<div class="setting">
    <p>
      ${isDemo ? `For now it answers from its own documentation (${size}).` : documents === 0 ? "There are no documents yet." : `It answers from your documents (${size}).`}
      ${info.reasoner === "embedded" && " No model is configured, so answers are sentences quoted from them."}
    </p>
    <button type="button" class="quiet" onClick=${onDocuments}>
      <${Icon}
        name="documents"
      />${isDemo || documents === 0 ? "Add your documents" : "Add or remove documents"}
    </button>
  </div>`;
}

/** Asks before a web search: shows the exact query and its recipient, and allows to edit it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./elements.js";

const ALWAYS = "always_in_this_thread";

/** @param actions searches and pages in LangChain's human-in-the-loop format */
export function Permission({ actions, decide }) {
  const [queries, setQueries] = useState(actions.map(({ args }) => args.query));
  const first = useRef(null);
  useEffect(() => first.current?.focus(), []);
  const allow = (always) =>
    decide(
      actions.map(({ name, args }, index) =>
        queries[index] === undefined || queries[index] === args.query
          ? { type: "approve", [ALWAYS]: always }
          : {
              type: "edit",
              editedAction: { name, args: { ...args, query: queries[index], [ALWAYS]: always } },
            },
      ),
    );
  return html`<section class="permission" aria-label="Permission">
    ${actions.map(
      ({ description }, index) =>
        html`<div>
          <p id=${`permission-${index}`}>${description}</p>
          ${
            queries[index] !== undefined &&
            html`<input
              aria-label="Words that are sent"
              aria-describedby=${`permission-${index}`}
              value=${queries[index]}
              onInput=${(event) => setQueries(queries.with(index, event.currentTarget.value))}
            />`
          }
        </div>`,
    )}
    <p class="permission-actions">
      <button type="button" class="primary" ref=${first} onClick=${() => allow(false)}>
        Allow
      </button>
      <button type="button" class="quiet" onClick=${() => allow(true)}>
        Always in this conversation
      </button>
      <button
        type="button"
        class="quiet"
        onClick=${() => decide(actions.map(() => ({ type: "reject" })))}
      >
        Do not send
      </button>
    </p>
  </section>`;
}

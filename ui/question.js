/** The question of a turn, which can be edited and asked again. */
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./html.js";
import { Icon } from "./icons.js";

/** @param onEdit asks the edited question in place of this one; undefined while that cannot be */
export function Question({ text, onEdit }) {
  const [isEdited, setIsEdited] = useState(false);
  const field = useRef(null);
  useEffect(() => field.current?.focus(), [isEdited]);
  if (!isEdited)
    return html`<div class="question">
      <h2 tabindex="-1" dir="auto">${text}</h2>
      ${
        onEdit &&
        html`<button
          type="button"
          class="icon-button tool"
          aria-label="Edit the question"
          title="Edit and ask again"
          onClick=${() => setIsEdited(true)}
        >
          <${Icon} name="pencil" />
        </button>`
      }
    </div>`;
  const submit = (event) => {
    event.preventDefault();
    const edited = field.current.value.trim();
    setIsEdited(false);
    if (edited !== "") onEdit(edited);
  };
  const onKeyDown = (event) => {
    if (event.key === "Escape") setIsEdited(false);
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  return html`<form class="question-form" onSubmit=${submit}>
    <textarea ref=${field} rows="2" aria-label="Edited question" dir="auto" onKeyDown=${onKeyDown}>
${text}</textarea>
    <p>
      <button type="submit" class="primary">Ask again</button>
      <button type="button" class="quiet" onClick=${() => setIsEdited(false)}>Cancel</button>
    </p>
  </form>`;
}

/** Icons for buttons; their labels say what they mean. */
import { html } from "./html.js";

const PATHS = {
  menu: "M4 7h16M4 12h16M4 17h10",
  plus: "M12 5v14M5 12h14",
  pencil: "M4 20h4L19 9l-4-4L4 16zM13.5 6.5l4 4",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5.5M13.5 11v5.5",
  documents: "M8 3h7l4 4v10H8zM15 3v4h4M8 7H5v14h10v-4",
  folder: "M3 6h6l2 2h10v11H3z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  sliders: "M4 8h9M17 8h3M4 16h3M11 16h9M15 5.5v5M9 13.5v5",
  "thumb-up":
    "M7 11v9H4v-9zM7 11l4-8c2 0 2.6 1.2 2.3 3L12.7 9H19c1 0 1.7 1 1.4 2l-2 7.5c-.3.9-1 1.5-2 1.5H7",
  "thumb-down":
    "M7 13V4H4v9zM7 13l4 8c2 0 2.6-1.2 2.3-3l-.6-3H19c1 0 1.7-1 1.4-2l-2-7.5c-.3-.9-1-1.5-2-1.5H7",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  close: "M6 6l12 12M18 6L6 18",
  back: "M14 6l-6 6 6 6",
  up: "M12 19V5M6 11l6-6 6 6",
};

export function Icon({ name }) {
  return html`<svg
    class="icon"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d=${PATHS[name]} />
  </svg>`;
}

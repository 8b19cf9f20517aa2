/** How the answer came to be: what was searched for in each round, and what the grader said of it. */
import { Gauge } from "./gauge.js";
import { html } from "./html.js";
import { ACTIONS, callSubject, counted, duration, toolName, VERDICTS } from "./words.js";

export function Rounds({ turn }) {
  const { rounds, status, tookMs, understood } = turn;
  if (rounds.length === 0)
    return (
      status === "running" &&
      turn.answer === "" &&
      html`<p class="working"><span class="spinner"></span>Reading the question</p>`
    );
  const running = status === "running" && turn.isDraft && turn.answer === "";
  const last = rounds.at(-1)?.verdict;
  return html`<details class="rounds" open=${running}>
    <summary>
      ${running ? html`<span class="spinner"></span>${last === undefined ? "Searching" : nextStep(last.action)}` : counted(rounds.length, "round")}
      ${!running && last && html`<span class=${`verdict ${last.label}`}>${VERDICTS[last.label]} ${last.score.toFixed(2)}</span>`}
      ${!running && tookMs !== undefined && html`<span class="dim">${duration(tookMs)}</span>`}
    </summary>
    ${understood && html`<p class="understood"><span class="dim">Understood as</span> <span dir="auto">${understood}</span></p>`}
    <ol class="round-list">
      ${rounds.map((round, index) => html`<${Round} key=${round.number} round=${round} isFirst=${index === 0} />`)}
    </ol>
  </details>`;
}

function Round({ round, isFirst }) {
  const { number, calls, removed, rule, verdict, provider } = round;
  return html`<li class=${`round ${verdict?.label ?? ""}`}>
    <p class="round-title">
      <span class="dim">${isFirst ? "Searched" : "Searched again"}</span>
      ${provider && html` <span class="dim">(${provider})</span>`}
      <span class="visually-hidden"> in round ${number}</span>
    </p>
    <ul class="calls">
      ${calls.map((call) => html`<${Call} call=${call} />`)}
    </ul>
    ${
      verdict &&
      html`<div class="verdict-line">
          <${Gauge} ...${verdict} />
          <span class=${`verdict ${verdict.label}`}
            >${VERDICTS[verdict.label]} ${verdict.score.toFixed(2)}</span
          >
          <span class="dim"
            >${rule ? `approved by rule ${rule}` : ACTIONS[verdict.action]}${removed > 0 ? ` · ${removed} thrown out` : ""}</span
          >
        </div>
        <details class="reasoning">
          <summary>Why</summary>
          <p>${verdict.reasoning}</p>
        </details>`
    }
  </li>`;
}

function Call({ call }) {
  const { tool, status, count, error, cached } = call;
  const result =
    status === undefined
      ? "…"
      : error
        ? error
        : status === "skipped"
          ? "skipped"
          : `${count} found`;
  return html`<li class=${`call ${error ? "bad" : ""}`}>
    <span class="tool">${toolName(tool)}</span>
    <span class="subject" dir="auto">${callSubject(call)}</span>
    <span class="dim">${result}${cached ? ", cached" : ""}</span>
  </li>`;
}

function nextStep(action) {
  return {
    GENERATE: "Writing the answer",
    REFINE: "Refining the search",
    RE_RETRIEVE: "Searching another way",
  }[action];
}

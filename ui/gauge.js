/** Scores between 0 and 1, against the thresholds that decided. */
import { html } from "./html.js";
import { VERDICTS } from "./words.js";

/** @param thresholds absent if a rule decided */
export function Gauge({ score, label, thresholds }) {
  if (thresholds === undefined) return null;
  const { correct, incorrect } = thresholds;
  const spoken = `${VERDICTS[label]}, score ${score.toFixed(2)}; poor below ${incorrect.toFixed(2)}, good from ${correct.toFixed(2)}`;
  return html`<span class="gauge" role="img" aria-label=${spoken} title=${spoken}>
    <span class="zone incorrect" style=${{ width: percent(incorrect) }}></span>
    <span
      class="zone ambiguous"
      style=${{ left: percent(incorrect), width: percent(Math.max(0, correct - incorrect)) }}
    ></span>
    <span
      class="zone correct"
      style=${{ left: percent(correct), width: percent(1 - correct) }}
    ></span>
    <span class="needle" style=${{ left: percent(score) }}></span>
  </span>`;
}

/** A plain bar for the score of one passage. */
export function ScoreBar({ score }) {
  if (score === null || score === undefined) return html`<span class="score">–</span>`;
  return html`<span class="score"
    ><span class="bar" aria-hidden="true"><span style=${{ width: percent(score) }}></span></span
    >${score.toFixed(2)}</span
  >`;
}

function percent(share) {
  return `${(Math.min(1, Math.max(0, share)) * 100).toFixed(1)}%`;
}

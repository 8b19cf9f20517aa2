/** How an answer was found: one line for each round until opened, all evidence, and the cost. */
import { useEffect, useState } from "preact/hooks";
import { html } from "./elements.js";
import { Place } from "./sources.js";
import { ACTIONS, callSubject, counted, duration, toolName, VERDICTS } from "./words.js";

/** Shows the current activity until the answer begins. */
export function Working({ turn }) {
  if (turn.status !== "running" || turn.answer !== "" || turn.request) return null;
  return html`<div class="working">
    <p><span class="spinner"></span>${activityOf(turn)}<${Elapsed} since=${turn.startedAt} /></p>
    ${turn.rounds.length > 0 && html`<${RoundList} rounds=${turn.rounds} />`}
  </div>`;
}

/** Returns the warnings that are not about a single sentence. */
export function notesOf({ warnings }) {
  return warnings.filter((warning) => !/^(?:withdrawn|uncertain):/.test(warning));
}

export function HowFound({ turn, onShow }) {
  const { result, withdrawn } = turn;
  const details = result?.details;
  if (turn.status === "running" || details?.mode === "chat") return null;
  if (turn.rounds.length === 0 && details === undefined) return null;
  const notes = notesOf(turn);
  const rounds = turn.rounds.length > 0 ? turn.rounds : (details?.rounds.map(roundOf) ?? []);
  const { kept = [], discarded = [] } = details ?? {};
  const summary = [
    counted(rounds.length, "round"),
    ...(kept.length > 0
      ? [`${kept.length} of ${kept.length + discarded.length} passages used`]
      : []),
    ...(turn.tookMs === undefined ? [] : [duration(turn.tookMs)]),
  ].join(", ");
  return html`<details class="how">
    <summary>How it was found <span class="dim">${summary}</span></summary>
    <${RoundList} rounds=${rounds} />
    <${Notes} title="Removed, because no source supports it" items=${withdrawn} />
    <${Notes} title="Notes" items=${notes} />
    <${EvidenceList} title="Passages used" items=${kept} onShow=${onShow} />
    <${EvidenceList} title="Passages thrown out" items=${discarded} onShow=${onShow} />
    ${details && html`<${Facts} ...${details} />`}
  </details>`;
}

function RoundList({ rounds }) {
  return html`<ol class="round-list">
    ${rounds.map((round) => html`<${Round} key=${round.number} round=${round} />`)}
  </ol>`;
}

function Round({ round }) {
  const { number, calls, removed, rule, verdict, provider } = round;
  const subject =
    calls.map(callSubject).find((each) => each !== "") ?? "Looked once more at what was found";
  return html`<li>
    <details class="round">
      <summary>
        <span class=${`dot ${verdict?.label ?? ""}`} aria-hidden="true"></span>
        <span class="visually-hidden">Round ${number}: </span>
        <span class="round-subject" dir="auto">${subject}</span>
        <span class="dim">${foundBy(calls)}${verdict ? `, ${VERDICTS[verdict.label]}` : ""}</span>
      </summary>
      <ul class="calls">
        ${calls.map((call) => html`<${Call} call=${call} provider=${provider} />`)}
      </ul>
      ${
        verdict &&
        html`<div class="verdict-line">
            <${Gauge} ...${verdict} />
            <span class=${`verdict ${verdict.label}`}>${verdict.score.toFixed(2)}</span>
            <span class="dim"
              >${rule ? `approved by rule ${rule}` : ACTIONS[verdict.action]}${removed > 0 ? `, ${removed} thrown out` : ""}</span
            >
          </div>
          ${verdict.reasoning && html`<p class="reasoning">${verdict.reasoning}</p>`}`
      }
    </details>
  </li>`;
}

function foundBy(calls) {
  if (calls.length === 0) return "nothing new";
  if (calls.some(({ status }) => status === undefined)) return "…";
  return `${countOf(calls)} found`;
}

function countOf(calls) {
  return calls.reduce((sum, { count = 0 }) => sum + count, 0);
}

function Call({ call, provider }) {
  const { tool, status, count, error, cached } = call;
  const result =
    status === undefined ? "…" : (error ?? (status === "skipped" ? "skipped" : `${count} found`));
  return html`<li class=${`call ${error ? "bad" : ""}`}>
    <b>${toolName(tool)}</b>
    ${provider && tool === "web_search" && html`<span class="dim">${provider}</span>`}
    <span dir="auto">${callSubject(call)}</span>
    <span class="dim">${result}${cached ? ", cached" : ""}</span>
  </li>`;
}

/** The score between 0 and 1 of a round's evidence, against the thresholds that decided. */
function Gauge({ score, label, thresholds }) {
  // A rule decides without them.
  if (thresholds === undefined) return null;
  const { correct, incorrect } = thresholds;
  const spoken = `${VERDICTS[label]}, score ${score.toFixed(2)}; poor below ${incorrect.toFixed(2)}, good from ${correct.toFixed(2)}`;
  return html`<span
    class="gauge"
    role="img"
    aria-label=${spoken}
    title=${spoken}
    style=${{ "--incorrect-to": percent(incorrect), "--correct-from": percent(Math.max(incorrect, correct)) }}
  >
    <span class="needle" style=${{ left: percent(score) }}></span>
  </span>`;
}

function percent(share) {
  return `${(Math.min(1, Math.max(0, share)) * 100).toFixed(1)}%`;
}

function Notes({ title, items }) {
  if (items.length === 0) return null;
  return html`<h3>${title}</h3>
    <ul class="notes">
      ${items.map((item) => html`<li dir="auto">${item}</li>`)}
    </ul>`;
}

function EvidenceList({ title, items, onShow }) {
  if (items.length === 0) return null;
  const sorted = [...items].sort((a, b) => (b.score ?? -1) - (a.score ?? -1));
  return html`<h3>${title}</h3>
    <ul class="evidence-list">
      ${sorted.map(
        ({ id, title: name, source, score, reason }) =>
          html`<li key=${id}>
            <span class="score">${score?.toFixed(2) ?? "–"}</span>
            <span
              >${name}${" "}
              <${Place} source=${source} id=${id} onShow=${onShow} />
              ${reason && html` <span class="dim">${reason}</span>`}</span
            >
          </li>`,
      )}
    </ul>`;
}

function Facts({ usage, took_ms: tookMs, reasoner, profile, quality, run_id: run }) {
  const spent = [
    counted(usage.model_calls, "model call"),
    counted(usage.input_tokens + usage.output_tokens, "token"),
    counted(usage.web_searches, "web search", "web searches"),
    duration(tookMs),
  ].join(", ");
  return html`<dl class="facts">
    <dt>Reasoner</dt>
    <dd>${reasoner === "embedded" ? "embedded, no model" : "model"}</dd>
    <dt>Profile</dt>
    <dd>${profile}, ${quality}</dd>
    <dt>Spent</dt>
    <dd>${spent}</dd>
    <dt>Run</dt>
    <dd><code>${run}</code></dd>
  </dl>`;
}

/** Shows the seconds, so that a slow model is noticed. */
function Elapsed({ since }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.floor((now - since) / 1000);
  return seconds < 2 ? null : html`<span class="dim" aria-hidden="true">${seconds} s</span>`;
}

function activityOf({ rounds }) {
  const round = rounds.at(-1);
  if (round === undefined) return "Reading the question";
  const { verdict, calls } = round;
  if (verdict?.action === "GENERATE") return "Writing the answer";
  if (verdict !== undefined) return "Searching once more";
  return calls.some(({ status }) => status === undefined)
    ? "Searching"
    : `Judging ${counted(countOf(calls), "passage")}`;
}

/** Returns a round from the details of an earlier run. */
function roundOf({ calls, discarded, rule, label, action, score, thresholds }, index) {
  const verdict = { score, label, action, thresholds, reasoning: "" };
  return { number: index + 1, calls, removed: discarded.length, rule, verdict };
}

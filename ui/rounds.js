/** The rounds of a run, one line each until opened, with searches and grades. */
import { useEffect, useState } from "preact/hooks";
import { Evidence } from "./evidence.js";
import { Gauge } from "./gauge.js";
import { html } from "./html.js";
import { ACTIONS, callSubject, counted, duration, toolName, VERDICTS } from "./words.js";

/** Shows the current activity until the answer begins. */
export function Working({ turn }) {
  if (turn.status !== "running" || turn.answer !== "" || turn.request) return null;
  return html`<div class="working">
    <p><span class="spinner"></span>${activityOf(turn)}<${Elapsed} since=${turn.startedAt} /></p>
    ${turn.rounds.length > 0 && html`<${RoundList} rounds=${turn.rounds} />`}
  </div>`;
}

/** Explains how the answer was found. */
export function Rounds({ turn, onShow }) {
  const { rounds, result, withdrawn } = turn;
  const details = result?.details;
  if (turn.status === "running" || details?.mode === "chat") return null;
  if (rounds.length === 0 && details === undefined) return null;
  const notes = turn.warnings.filter((warning) => !/^(?:withdrawn|uncertain):/.test(warning));
  const shown = rounds.length > 0 ? rounds : (details?.rounds.map(roundOf) ?? []);
  const { kept = [], discarded = [] } = details ?? {};
  const summary = [
    counted(shown.length, "round"),
    ...(kept.length > 0
      ? [`${kept.length} of ${kept.length + discarded.length} passages used`]
      : []),
    ...(turn.tookMs === undefined ? [] : [duration(turn.tookMs)]),
  ].join(", ");
  return html`<details class="how">
    <summary>How it was found <span class="dim">${summary}</span></summary>
    <${RoundList} rounds=${shown} />
    ${withdrawn.length > 0 && html`<${Notes} title="Removed, because nothing supports it" items=${withdrawn} />`}
    ${notes.length > 0 && html`<${Notes} title="Notes" items=${notes} />`}
    ${details && html`<${Evidence} details=${details} onShow=${onShow} />`}
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
    <span class="tool">${toolName(tool)}</span>
    ${provider && tool === "web_search" && html`<span class="dim">${provider}</span>`}
    <span class="subject" dir="auto">${callSubject(call)}</span>
    <span class="dim">${result}${cached ? ", cached" : ""}</span>
  </li>`;
}

function Notes({ title, items }) {
  return html`<h3>${title}</h3>
    <ul class="notes">
      ${items.map((item) => html`<li dir="auto">${item}</li>`)}
    </ul>`;
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

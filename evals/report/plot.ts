/** Small plots as SVG by hand: they need no library, and follow the reader's light or dark scheme wherever they are shown. */

export interface Series {
  name: string;
  points: readonly {
    x: number;
    y: number;
    /** Area of the dot in px², for series drawn as dots. */ size?: number;
  }[];
  /** A line by default. */
  as?: "line" | "dots";
}

export interface Plot {
  title: string;
  /** What to read from it, in a sentence. */
  caption: string;
  svg: string;
}

const [WIDTH, HEIGHT] = [360, 312];
const FRAME = { left: 46, top: 14, right: 12, bottom: 56 };
const INNER = {
  width: WIDTH - FRAME.left - FRAME.right,
  height: HEIGHT - FRAME.top - FRAME.bottom,
};

// Okabe and Ito's colours, which colour-blind readers can tell apart.
const STYLE = `<style>
.plot{font:11px system-ui,sans-serif;--ink:#1c2733;--faint:#d5dbe1;--a:#0072b2;--b:#d55e00}
@media (prefers-color-scheme:dark){.plot{--ink:#dfe6ec;--faint:#38434d;--a:#56b4e9;--b:#e69f00}}
.plot text{fill:var(--ink)}.grid{stroke:var(--faint);stroke-width:1}.diagonal{stroke:var(--ink);stroke-dasharray:3 4;opacity:.5}
.a{stroke:var(--a)}.b{stroke:var(--b)}.line{fill:none;stroke-width:2}.fa{fill:var(--a)}.fb{fill:var(--b)}.area{opacity:.55}
</style>`;

const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** Curves or dots on axes from 0 to 1. */
export function xyPlot({
  label,
  x,
  y,
  series,
  diagonal = false,
}: {
  label: string;
  x: string;
  y: string;
  series: readonly Series[];
  diagonal?: boolean;
}): string {
  const drawn = series.map(({ points, as = "line" }, index) => {
    const colour = index === 0 ? "a" : "b";
    if (as === "line")
      return `<polyline class="line ${colour}" points="${points.map((point) => `${px(point.x)},${py(point.y)}`).join(" ")}"/>`;
    return points
      .map(
        (point) =>
          `<circle class="f${colour}" cx="${px(point.x)}" cy="${py(point.y)}" r="${fixed(Math.sqrt((point.size ?? 20) / Math.PI))}"/>`,
      )
      .join("");
  });
  const chance = diagonal
    ? `<line class="diagonal" x1="${px(0)}" y1="${py(0)}" x2="${px(1)}" y2="${py(1)}"/>`
    : "";
  return frame({
    label,
    x,
    y,
    names: series.map(({ name }) => name),
    body: chance + drawn.join(""),
  });
}

/** Two distributions of scores in 0–1 over each other, each in shares of its own class. */
export function histogram({
  label,
  x,
  groups,
  bins = 20,
}: {
  label: string;
  x: string;
  groups: readonly { name: string; values: readonly number[] }[];
  bins?: number;
}): string {
  const shares = groups.map(({ values }) => {
    const counts = Array.from({ length: bins }, () => 0);
    for (const value of values) {
      const bin = Math.min(bins - 1, Math.max(0, Math.floor(value * bins)));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    return counts.map((count) => count / Math.max(1, values.length));
  });
  const highest = Math.max(1e-9, ...shares.flat());
  const body = shares
    .map((list, group) =>
      list
        .map((share, bin) => {
          const top = py(share / highest);
          return `<rect class="area f${group === 0 ? "a" : "b"}" x="${fixed(Number(px(bin / bins)) + 0.5)}" y="${top}" width="${fixed(INNER.width / bins - 1)}" height="${fixed(Number(py(0)) - Number(top))}"/>`;
        })
        .join(""),
    )
    .join("");
  return frame({
    label,
    x,
    y: `share (top: ${(highest * 100).toFixed(0)} %)`,
    names: groups.map(({ name }) => name),
    body,
  });
}

function frame({
  label,
  x,
  y,
  names,
  body,
}: {
  label: string;
  x: string;
  y: string;
  names: readonly string[];
  body: string;
}): string {
  const grid = TICKS.map(
    (tick) =>
      `<line class="grid" x1="${px(tick)}" y1="${py(0)}" x2="${px(tick)}" y2="${py(1)}"/><line class="grid" x1="${px(0)}" y1="${py(tick)}" x2="${px(1)}" y2="${py(tick)}"/>` +
      `<text x="${px(tick)}" y="${HEIGHT - FRAME.bottom + 15}" text-anchor="middle">${tick}</text>` +
      `<text x="${FRAME.left - 6}" y="${fixed(Number(py(tick)) + 4)}" text-anchor="end">${tick}</text>`,
  ).join("");
  const legend = names
    .map(
      (name, index) =>
        `<g transform="translate(${FRAME.left + index * 150} ${HEIGHT - 6})"><rect class="${index === 0 ? "fa" : "fb"}" width="9" height="9" y="-9" rx="2"/><text x="13">${escapeMarkup(name)}</text></g>`,
    )
    .join("");
  return (
    `<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeMarkup(label)}">${STYLE}${grid}${body}` +
    `<text x="${FRAME.left + INNER.width / 2}" y="${HEIGHT - FRAME.bottom + 29}" text-anchor="middle">${escapeMarkup(x)}</text>` +
    `<text transform="translate(11 ${FRAME.top + INNER.height / 2}) rotate(-90)" text-anchor="middle">${escapeMarkup(y)}</text>${legend}</svg>`
  );
}

/** Text for HTML and SVG, in content and in quoted attributes. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/&/gu, "&amp;")
    .replace(/</gu, "&lt;")
    .replace(/>/gu, "&gt;")
    .replace(/"/gu, "&quot;");
}

function px(value: number): string {
  return fixed(FRAME.left + value * INNER.width);
}

function py(value: number): string {
  return fixed(FRAME.top + (1 - value) * INNER.height);
}

function fixed(value: number): string {
  return value.toFixed(1);
}

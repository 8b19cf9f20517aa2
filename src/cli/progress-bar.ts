/** A progress bar on one line of a terminal; silent where stderr is none, so that logs stay readable. */
import { oneLine } from "../text/one-line.js";
import { printable } from "./terminal.js";

export interface ProgressBar {
  /** @param note what is being done, shown after the bar */
  update(done: number, total: number, note?: string): void;
  /** Wipes the bar away. */
  end(): void;
}

const BAR_WIDTH = 24;
/** Redrawing more often than this only slows the work. */
const REDRAW_EVERY_MS = 80;
const CLEAR_LINE = "\r\u001b[2K";

export function createProgressBar(
  stream: { isTTY?: boolean; columns?: number; write(text: string): unknown } = process.stderr,
  now: () => number = Date.now,
): ProgressBar {
  let drawnAt = -Infinity;
  let visible = false;
  return {
    update(done, total, note = "") {
      if (stream.isTTY !== true || (now() - drawnAt < REDRAW_EVERY_MS && done < total)) return;
      drawnAt = now();
      visible = true;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const filled = Math.round(share * BAR_WIDTH);
      const line = `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${done}/${total} ${printable(note)}`;
      stream.write(CLEAR_LINE + oneLine(line, (stream.columns || 80) - 1));
    },
    end() {
      if (visible) stream.write(CLEAR_LINE);
      visible = false;
    },
  };
}

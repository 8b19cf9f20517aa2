/**
 * A real browser for the page's tests. Without one (`apt-get install chromium`, or CHROMIUM_PATH)
 * there is nothing to look with, and they are skipped.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type BrowserContext, type Page } from "playwright-core";

const BROWSER = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const hasBrowser = existsSync(BROWSER);

export interface OpenBrowser {
  context: BrowserContext;
  page: Page;
  /** What the browser had to complain about. */
  complaints: string[];
  /** Addresses that the page asked. */
  requests: string[];
  close(): Promise<void>;
}

export async function openBrowser(flags: readonly string[] = []): Promise<OpenBrowser> {
  if (!hasBrowser) throw new Error(`there is no browser at ${BROWSER} (set CHROMIUM_PATH)`);
  const profile = await mkdtemp(join(tmpdir(), "corrective-rag-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: BROWSER,
    headless: true,
    args: [...FLAGS, ...flags],
    viewport: { width: 1280, height: 900 },
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  return {
    context,
    page,
    complaints,
    requests,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** What axe finds fault with. */
export async function faultsIn(page: Page): Promise<string[]> {
  const script = createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js");
  await page.evaluate(await readFile(script, "utf8"));
  // What is still fading in has not its colors yet.
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().filter((each) => each.effect.getComputedTiming().endTime < Infinity).map((each) => each.finished)).then(() => undefined)",
  );
  return page.evaluate(
    "axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))",
  );
}

/**
 * Waits until the page fits its width; one that can be pushed to the side never does. Asked from
 * here: what waits within the page evaluates text, which its policy forbids.
 */
export async function untilItFits(page: Page): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")) return;
    await page.waitForTimeout(100);
  }
  throw new Error("the page is wider than its window");
}

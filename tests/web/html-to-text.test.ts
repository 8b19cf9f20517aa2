import { describe, expect, it } from "@jest/globals";
import { htmlToText } from "../../src/text/web-page.js";
import { clipQuery, isoDate } from "../../src/web/search-provider.js";
import { retryAfterInMs } from "../../src/support/waiting.js";

describe("text from HTML", () => {
  it.each([
    [
      "tags go, blocks become lines",
      "<p>One <b>bold</b> word.</p><p>Two</p>",
      "One bold word.\n\nTwo",
    ],
    [
      "entities are decoded once",
      "AT&amp;T &lt;b&gt; &#8364; &#x20AC; &amp;amp; &unknown;",
      "AT&T <b> € € &amp; &unknown;",
    ],
    ["a lone < is text", "if a < b and b > c", "if a < b and b > c"],
    [
      "scripts, styles and comments vanish",
      "a<script>if (x<y) {}</script><style>p{}</style><!-- no > --> b",
      "a b",
    ],
    ["an unclosed comment or script swallows the rest", "a<script>b", "a"],
    ["cells are parted", "<table><tr><td>a</td><td>b</td><td></td></tr></table>", "a\n\nb"],
    ["control characters go", "a\u0000b\u200bc\u00ad", "abc"],
    ["empty", "", ""],
  ])("%s", (_name, html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it.each([
    ["unclosed tags", "<".repeat(300_000)],
    ["open comments", "<!--".repeat(100_000)],
    ["empty cells", "<td></td>".repeat(100_000)],
    ["white space", `${" \n".repeat(200_000)}x`],
    ["tag starts", "<a ".repeat(200_000)],
    ["scripts", "<script>".repeat(50_000)],
  ])("takes linear time on %s", (_name, html) => {
    const startedAt = performance.now();
    htmlToText(html);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });
});

describe("dates", () => {
  it.each([
    ["2024-11-12", "2024-11-12"],
    ["2024-11-12T08:00:00", "2024-11-12T08:00:00.000Z"],
    ["2024-11-12 08:00:00", "2024-11-12T08:00:00.000Z"],
    ["Tue, 12 Nov 2024 08:00:00 GMT", "2024-11-12T08:00:00.000Z"],
    ["soon", undefined],
    ["3 days ago", undefined],
    [20241112, undefined],
    [null, undefined],
    ["", undefined],
  ])("%p is %p", (value, iso) => {
    expect(isoDate(value)).toBe(iso);
  });
});

describe("limits of queries", () => {
  it("cuts at a word, else at a character, and never through a pair of surrogates", () => {
    expect(clipQuery("one two  three", 9)).toBe("one two");
    expect(clipQuery("a b c d", 100, 2)).toBe("a b");
    expect(clipQuery("x".repeat(10), 4)).toBe("xxxx");
    expect(clipQuery("abc😀", 4)).toBe("abc");
    expect(clipQuery("short", 400)).toBe("short");
  });
});

describe("Retry-After", () => {
  it.each([
    ["2", 2_000],
    ["0.5", 500],
    ["Thu, 01 Jan 1970 00:01:00 GMT", 50_000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["whenever", undefined],
    [null, undefined],
  ])("%p at ten seconds past is %p ms", (header, expected) => {
    expect(retryAfterInMs(header, 10_000)).toBe(expected);
  });
});

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { joinBlocks } from "../../src/text/passage-blocks.js";
import { questionsIn, sentences } from "../../src/text/sentences.js";

const WORD = /[\p{L}\p{N}]/u;

const textsOf = (text: string): string[] => sentences(text).map((span) => span.text);

describe("sentences", () => {
  it("end neither inside of an abbreviation with a space nor inside of a name", () => {
    const texts = (text: string): string[] => sentences(text).map((each) => each.text);
    expect(texts("Programme (z. B. mutt) rufen ihn auf, d. h. in der Regel. Ja.")).toEqual([
      "Programme (z. B. mutt) rufen ihn auf, d. h. in der Regel.",
      "Ja.",
    ]);
    expect(texts('They are "a.old" or "/var/status.*". It is **so.** Go.')).toEqual([
      'They are "a.old" or "/var/status.*".',
      "It is **so.",
      "** Go.",
    ]);
  });

  it("does not end at titles, initials, abbreviations and decimals", () => {
    expect(textsOf("Dr. Smith met J. R. Tolkien, e.g. in 3.14 hours. He left.")).toEqual([
      "Dr. Smith met J. R. Tolkien, e.g. in 3.14 hours.",
      "He left.",
    ]);
    expect(textsOf("Das ist z.B. ein Test. Es geht.")).toEqual([
      "Das ist z.B. ein Test.",
      "Es geht.",
    ]);
  });

  it("does not end at a sign that belongs to a name", () => {
    expect(textsOf("Call the panic! macro. Yahoo! was sold. Stop! The end.")).toEqual([
      "Call the panic! macro.",
      "Yahoo! was sold.",
      "Stop!",
      "The end.",
    ]);
  });

  it("does not end at a name that begins with a dot", () => {
    expect(
      textsOf("You should delete the .LCK file. It keeps .YYYYMMDD.gnucash files (.LOG too). Go."),
    ).toEqual([
      "You should delete the .LCK file.",
      "It keeps .YYYYMMDD.gnucash files (.LOG too).",
      "Go.",
    ]);
  });

  it("does not end within an image of Markdown", () => {
    expect(textsOf("See here. ![The harbor](harbor.png) was built in 1894.")).toEqual([
      "See here.",
      "![The harbor](harbor.png) was built in 1894.",
    ]);
  });

  it("includes the footnotes behind it, and a reference to a page", () => {
    expect(
      textsOf("It stands in London.[1][2] It cost much,[3] they say [6, p. 12]. The end."),
    ).toEqual(["It stands in London.[1][2]", "It cost much,[3] they say [6, p. 12].", "The end."]);
  });

  it("does not end within the name of a class", () => {
    const text = "Both asyncio.Task and asyncio.TaskGroup are cancelled by logging.Logger objects.";
    expect(textsOf(text)).toEqual([text]);
  });

  it("keeps the number of a list item or section with its text", () => {
    expect(textsOf("1. The first step. 2. The second.")).toEqual([
      "1. The first step.",
      "2. The second.",
    ]);
    expect(textsOf("4.2. The rule holds. It has no exception.")).toEqual([
      "4.2. The rule holds.",
      "It has no exception.",
    ]);
  });

  it("does not end at a German ordinal", () => {
    expect(
      textsOf(
        "Er wurde am 3. Mai 1952 gegründet. Bis 30. September ist Zeit. Im 19. Jahrhundert war es anders.",
      ),
    ).toEqual([
      "Er wurde am 3. Mai 1952 gegründet.",
      "Bis 30. September ist Zeit.",
      "Im 19. Jahrhundert war es anders.",
    ]);
    expect(
      textsOf("Nach dem 2. Weltkrieg kam es so. Es waren 12. Die anderen gingen."),
    ).toHaveLength(3);
    expect(textsOf("There were 12. The others went.")).toHaveLength(2);
  });

  it("takes a row of a table that was written out for one sentence, full stops or not", () => {
    const rows = [
      "name: Bolt; price: 3.50; note: Strong. Rusts.",
      "name: Nut; price: 2; note: See p. 4",
    ];
    const { text, blocks } = joinBlocks(rows.map((row) => ({ text: row, form: "row" })));
    expect(sentences(text, blocks).map((span) => span.text)).toEqual(rows);
    expect(
      textsOf(
        "There is one rule: be kind; nothing else counts. It was: easy; they said: no more of it.",
      ),
    ).toHaveLength(2);
  });

  it("begins a sentence after initials if the next word suggests one", () => {
    expect(textsOf("He lives in the U.S. The law is old.")).toHaveLength(2);
  });

  it("ends at headings, list items, table rows and blank lines, and joins wrapped lines", () => {
    expect(
      textsOf(
        "# A heading\nA wrapped sentence that goes on and on until\nthe next line ends it.\n- one\n- two\n\nLast",
      ),
    ).toEqual([
      "# A heading",
      "A wrapped sentence that goes on and on until\nthe next line ends it.",
      "- one",
      "- two",
      "Last",
    ]);
  });

  it("takes each line of code for itself", () => {
    expect(textsOf("```\nconst a = 1;\nconst b = 2;\n```\nAfter.")).toEqual([
      "const a = 1;",
      "const b = 2;",
      "After.",
    ]);
  });

  it("splits Chinese and Arabic", () => {
    expect(textsOf("他是主席。他出生于1893年。")).toHaveLength(2);
    expect(textsOf("هل هذا صحيح؟ نعم هو صحيح.")).toHaveLength(2);
  });

  it("returns exact offsets and loses no word, for any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('aB. \n-#1!。北"U>|=*:')) }),
        (text) => {
          let reached = 0;
          for (const span of sentences(text)) {
            expect(text.slice(span.start, span.end)).toBe(span.text);
            expect(text.slice(reached, span.start)).not.toMatch(WORD);
            reached = span.end;
          }
          expect(text.slice(reached)).not.toMatch(WORD);
        },
      ),
    );
  });

  it("takes time that grows with the length of the text, also without any line break", () => {
    const started = performance.now();
    expect(sentences("The film was made in 1925. It starred nobody. ".repeat(10_000)).length).toBe(
      20_000,
    );
    expect(performance.now() - started).toBeLessThan(60_000);
  });
});

it.each([
  ["Hi, I am new here. How do I open an account? Thanks!", ["How do I open an account?"]],
  ["How do I open an account?", []],
  ["My account is gone. What can I do?", []],
  [
    "Who opened the account? Why was the account closed?",
    ["Who opened the account?", "Why was the account closed?"],
  ],
])("the questions of their own in %s are %j", (message, questions) => {
  expect(questionsIn(message)).toEqual(questions);
});

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { redact, REDACTED, redactText, secretsOf } from "../../src/observability/redact.js";

describe("redact", () => {
  it.each([
    "sk-proj-abcdefgh12345678",
    "sk-ant-REDACTED",
    "tvly-dev-1234567890abcdef",
    "BSAabcdefghijklmnopqrstuvwxyz",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "hf_abcdefghijklmnopqrstuvwxyzABCDEF",
    "lsv2_pt_0123456789abcdef0123456789abcdef_0123456789",
    "AKIAABCDEFGHIJKLMNOP",
    "eyJhbGciOiJIUzI1NiJ9.eyJhY2Nlc3MiOiJyIn0.abc123DEF456",
  ])("removes a key by its shape: %s", (key) => {
    const text = redactText(`the call with ${key} failed`, []);
    expect(text).toBe(`the call with ${REDACTED} failed`);
  });

  it.each([
    ["Authorization: Bearer abc.def-123", `Authorization: Bearer ${REDACTED}`],
    ["authorization: basic dXNlcjpwYXNz", `authorization: basic ${REDACTED}`],
    ["https://user:hunter2@host/x?q=1", `https://${REDACTED}@host/x?q=1`],
    ["https://host/search?api_key=abc123&q=cats", `https://host/search?api_key=${REDACTED}&q=cats`],
    ["https://host/search?q=cats&token=abc", `https://host/search?q=cats&token=${REDACTED}`],
  ])("removes credentials from %s", (text, expected) => {
    expect(redactText(text, [])).toBe(expected);
  });

  it("leaves ordinary text, addresses and counters alone", () => {
    const value = {
      question: "How does task-management-systematic work with sk-learn?",
      url: "https://example.org/a?page=2#token",
      mail: "write to someone@example.org",
      input_tokens: 12,
      tokens: { input: 1 },
      passwordless: "yes",
    };
    expect(redact(value, [])).toEqual(value);
  });

  it("removes values by the name of their key, in any spelling", () => {
    const value = {
      apiKey: "a",
      OPENAI_API_KEY: "b",
      "x-api-key": "c",
      accessToken: "d",
      Authorization: "e",
      nested: [{ password: "f", client_secret: "g" }],
    };
    expect(redact(value, [])).toEqual({
      apiKey: REDACTED,
      OPENAI_API_KEY: REDACTED,
      "x-api-key": REDACTED,
      accessToken: REDACTED,
      Authorization: REDACTED,
      nested: [{ password: REDACTED, client_secret: REDACTED }],
    });
  });

  it("removes keys of the environment wherever they appear", () => {
    const secrets = secretsOf({
      QDRANT_API_KEY: "correct horse",
      SHORT_KEY: "abc",
      HOME: "/home/somebody",
    });
    expect(new Set(secrets)).toEqual(new Set(["correct horse"]));
    expect(
      redactText(
        "key-for-ann, key-for-bob",
        secretsOf({ CRAG_API_KEYS: "key-for-ann, key-for-bob" }),
      ),
    ).toBe(REDACTED);
    expect(
      redactText("key-for-bob was used", secretsOf({ CRAG_API_KEYS: "key-for-ann, key-for-bob" })),
    ).toBe(`${REDACTED} was used`);
    expect(
      redactText(
        "key-for-bob was used",
        secretsOf({ CRAG_API_KEYS: "ann:key-for-ann,bob:key-for-bob" }),
      ),
    ).toBe(`${REDACTED} was used`);
    expect(redact({ error: "refused: correct horse at /home/somebody" }, secrets)).toEqual({
      error: `refused: ${REDACTED} at /home/somebody`,
    });
  });

  it("makes plain JSON of errors, dates, cycles and getters that throw", () => {
    const cyclic: Record<string, unknown> = {
      at: new Date(0),
      error: new TypeError("with sk-proj-abcdefgh12345678"),
      call: () => 1,
      big: 10n,
    };
    cyclic["self"] = cyclic;
    Object.defineProperty(cyclic, "trap", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(
      redact(
        {
          inner: {
            ...Object.fromEntries(
              Object.entries({ at: cyclic["at"], error: cyclic["error"], big: cyclic["big"] }),
            ),
          },
        },
        [],
      ),
    ).toEqual({
      inner: {
        at: "1970-01-01T00:00:00.000Z",
        error: { name: "TypeError", message: `with ${REDACTED}` },
        big: "10",
      },
    });
    expect(redact(cyclic, [])).toBe("[unreadable]");
    const loop: { next?: unknown } = {};
    loop.next = loop;
    expect(redact(loop, [])).toEqual({ next: "[circular]" });
  });

  it.each(["a-", "eyJ-", "sk-", "x://", "Bearer ", "-----BEGIN PRIVATE KEY-----", "?key=", "\n "])(
    "takes time in proportion to the text, also for %j repeated",
    (part) => {
      const text = part.repeat(Math.ceil(100_000 / part.length));
      const started = performance.now();
      redactText(text, []);
      expect(performance.now() - started).toBeLessThan(60_000);
    },
  );

  it("never throws, and always returns valid JSON data", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withObjectString: true,
        }),
        (value) => {
          expect(() => JSON.stringify(redact(value, []))).not.toThrow();
        },
      ),
      { numRuns: 500 },
    );
  });
});

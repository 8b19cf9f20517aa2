import { describe, expect, it } from "@jest/globals";
import { REDACTED, redactedJson, redactText, secretsOf } from "../../src/observability/redact.js";

const redact = (value: object, secrets: readonly string[]): unknown =>
  JSON.parse(redactedJson(value, secrets));

describe("redaction", () => {
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
      stripe_secret_key: "d",
      Authorization: "e",
      nested: [{ password: "f", client_secret: "g" }],
    };
    expect(redact(value, [])).toEqual({
      apiKey: REDACTED,
      OPENAI_API_KEY: REDACTED,
      "x-api-key": REDACTED,
      accessToken: REDACTED,
      stripe_secret_key: REDACTED,
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

  it.each(["a-", "eyJ-", "sk-", "x://", "Bearer ", "-----BEGIN PRIVATE KEY-----", "?key=", "\n "])(
    "takes time in proportion to the text, also for %j repeated",
    (part) => {
      const text = part.repeat(Math.ceil(100_000 / part.length));
      const started = performance.now();
      redactText(text, []);
      expect(performance.now() - started).toBeLessThan(60_000);
    },
  );
});

describe("secrets of the environment", () => {
  const VALUE = "correct horse";
  it.each([
    ..."MY_SERVICE_PAT LOGIN_PASS APP_SECRET_V2 DB_PASSWD PGPASSWORD SMTP_PWD API_TOKEN_OLD".split(
      " ",
    ),
    ..."X_AUTH SESSION_COOKIE SENTRY_DSN openai_api_key KEY APIKEY WIFI_PASSPHRASE GH_CREDS".split(
      " ",
    ),
  ])("are found by the name %s", (name) => {
    expect(secretsOf({ [name]: VALUE })).toContain(VALUE);
  });

  it("are found by their shape, whatever the name", () => {
    for (const value of ["a1b2c3d4e5f6a7b8c9d0e1f2", "Zm9vYmFyYmF6cXV4Zm9vYmFyMTIz=="])
      for (const set of [value, `${value}:gpt`, `openai:${value}`, `x, ${value}`])
        expect(secretsOf({ BUILD_ID: set })).toContain(value);
  });

  it.each([
    ["PWD", "/home/anna/work"],
    ["SSH_AUTH_SOCK", "/tmp/ssh-XXXX/agent.1"],
    ["KEYBOARD", "de-latin1-nodeadkeys"],
    ["COMPASS", "north-north-west"],
    ["PATH", "/usr/local/bin:/usr/bin:/bin"],
    ["LANG", "en_US.UTF-8"],
    ["CRAG_MODEL", "anthropic:claude-3-5-sonnet-20241022"],
    ["CRAG_JUDGE_MODEL", "gpt-4o-audio-preview-2024-12-17"],
  ])("are not %s", (name, value) => {
    expect(secretsOf({ [name]: value })).toEqual([]);
  });
});

/** True for an object with named fields, and nothing else. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of a JSON text, and undefined for any other text: it is no value of JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text nested too deep overflows the stack, and is no JSON either.
    return undefined;
  }
}

/** Placeholder until `eval replay` is here. */
export async function runReplayEval(): Promise<never> {
  return Promise.reject(new Error("not there yet"));
}

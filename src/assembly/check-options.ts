/** Mistakes that a caller's compiler would have shown, for callers who have none: unknown names, and values that are not allowed. */
import { UserError } from "../config/user-error.js";
import { ContextSchema, type ContextValues } from "../state/schemas.js";
import type { AssembleOptions } from "./options.js";

const OPTIONS: Readonly<Record<keyof AssembleOptions, true>> = {
  environment: true,
  knowledgeBase: true,
  retriever: true,
  vectorStore: true,
  model: true,
  evaluationModel: true,
  tools: true,
  webSearchTool: true,
  webSearchProviders: true,
  reranker: true,
  policy: true,
  defaults: true,
  checkpointer: true,
  onEvent: true,
  now: true,
};

/** @throws UserError for an option that does not exist, and for two sources of evidence where there can be one */
export function checkOptions(options: AssembleOptions): void {
  for (const name of Object.keys(options)) {
    if (name in OPTIONS) continue;
    const isSetting = name in ContextSchema.shape;
    throw new UserError(
      `createCorrectiveRag has no option "${name}"`,
      isSetting
        ? `settings of a run go into defaults, { defaults: { ${name}: … } }, or with the question, ask("…", { ${name}: … })`
        : `there are: ${Object.keys(OPTIONS).join(", ")}`,
    );
  }
  const sources = (["knowledgeBase", "retriever", "vectorStore"] as const).filter((name) => options[name] !== undefined);
  if (sources.length > 1)
    throw new UserError(`createCorrectiveRag was given ${sources.join(" and ")}`, "one of them is searched: leave out the others");
}

/** @throws UserError for a setting that does not exist or has a value that is not allowed */
export function checkedContext(context: ContextValues): ContextValues {
  const checked = ContextSchema.strict().safeParse(context);
  if (checked.success) return context;
  throw contextMistake(checked.error.issues);
}

/** The first of the issues as one line that names the setting. */
export function contextMistake(issues: readonly { path: PropertyKey[]; message: string }[]): UserError {
  const [first] = issues;
  const place = first?.path.map(String).join(".") ?? "";
  return new UserError(
    `the run's context is not valid: ${place === "" ? "" : `${place}: `}${first?.message ?? ""}`,
    "see docs/configuration.md",
  );
}

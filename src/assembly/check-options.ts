/** Mistakes that a caller's compiler would have shown, for callers who have none: unknown names, and values that are not allowed. */
import { UserError } from "../settings/user-error.js";
import { ContextSchema, type ContextValues } from "../state/schemas.js";
import { OPTION_SHAPES } from "./option-shapes.js";
import type { AssembleOptions } from "./options.js";

/** @throws UserError for an option that does not exist or is not what it must be, and for two sources of evidence where there can be one */
export function checkOptions(options: AssembleOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (isOption(name)) {
      const { fits, wants } = OPTION_SHAPES[name];
      if (value === undefined || fits(value)) continue;
      throw new UserError(
        `the option ${name} of createCorrectiveRag is ${shown(value)}`,
        `it must be ${wants}`,
      );
    }
    const isSetting = name in ContextSchema.shape;
    throw new UserError(
      `createCorrectiveRag has no option "${name}"`,
      isSetting
        ? `settings of a run go into defaults, { defaults: { ${name}: … } }, or with the question, ask("…", { ${name}: … })`
        : `there are: ${Object.keys(OPTION_SHAPES).join(", ")}`,
    );
  }
  const sources = (["knowledgeBase", "retriever", "vectorStore"] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (sources.length > 1)
    throw new UserError(
      `createCorrectiveRag was given ${sources.join(" and ")}`,
      "one of them is searched: leave out the others",
    );
}

function isOption(name: string): name is keyof AssembleOptions {
  return Object.hasOwn(OPTION_SHAPES, name);
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return "a list of other things";
  return typeof value === "object" && value !== null ? "something else" : String(value);
}

const { thresholds, budget } = ContextSchema.shape;
/** Other than the schema that LangGraph is given, this one knows no unknown keys, inside of its parts neither. */
const StrictContext = ContextSchema.extend({
  thresholds: thresholds.unwrap().strict().optional(),
  budget: budget.unwrap().strict().optional(),
}).strict();

/** @throws UserError for a setting that does not exist or has a value that is not allowed */
export function checkedContext(context: ContextValues): ContextValues {
  const checked = StrictContext.safeParse(context);
  if (checked.success) return context;
  throw contextMistake(checked.error.issues);
}

/** The first of the issues as one line that names the setting. */
export function contextMistake(
  issues: readonly { path: PropertyKey[]; message: string }[],
): UserError {
  const [first] = issues;
  const place = first?.path.map(String).join(".") ?? "";
  return new UserError(
    `the run's context is not valid: ${place === "" ? "" : `${place}: `}${first?.message ?? ""}`,
    "see docs/configuration.md",
  );
}

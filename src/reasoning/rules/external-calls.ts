/** Calls whose arguments leave this machine. They are made of the question's own words, and of addresses that a search provider returned. Pure. */
import type { PlannedCall } from "../../state/tool-history.js";
import { contentTerms } from "../../text/analyse.js";
import { searchTerms } from "../../text/search-terms.js";
import type { PlanInput, ToolDescription } from "../reasoner.js";

const MAX_USER_TOOLS = 2;
const MAX_PAGES = 2;
const WEB_FETCH = "web_fetch";

/** For each tool the ways to call it. */
export function externalCalls(input: PlanInput): (readonly PlannedCall[])[] {
  return [...pages(input), ...userTools(input)];
}

/** Pages behind web results that were kept, when the round looks for what is missing. */
function pages({ purpose, kept, tools, strategies }: PlanInput): (readonly PlannedCall[])[] {
  if (purpose === "first" || !tools.some(({ name }) => name === WEB_FETCH)) return [];
  const urls = new Set(kept.flatMap(({ source }) => (source.kind === "web" ? [source.url] : [])));
  // Where the web is asked anew in any case, one page besides is enough.
  return [...urls]
    .slice(0, strategies.includes("web") ? 1 : MAX_PAGES)
    .map((url) => [{ tool: WEB_FETCH, args: { url } }]);
}

/** The user's own tools: at first those that speak of what the question speaks of, later any that was not asked yet. */
function userTools({
  question,
  standaloneQuestion,
  purpose,
  tools,
  history,
}: PlanInput): (readonly PlannedCall[])[] {
  const asked = new Set(searchTerms(standaloneQuestion));
  const called = new Set(history.map(({ tool }) => tool));
  return tools
    .filter(
      ({ name, strategy, external }) => external && strategy === undefined && name !== WEB_FETCH,
    )
    .filter(
      (tool) => speaksOf(tool, asked) || (purpose === "re_retrieve" && !called.has(tool.name)),
    )
    .flatMap((tool) => {
      const key = questionParameter(tool.parameters);
      return key === undefined
        ? []
        : [
            [standaloneQuestion, question].map((text): PlannedCall => ({
              tool: tool.name,
              args: { [key]: text },
            })),
          ];
    })
    .slice(0, MAX_USER_TOOLS);
}

/** Words that many tools' descriptions hold, and that say nothing of their subject. */
const COMMON = new Set(
  contentTerms(
    "search find get look lookup query question answer tool use return result information data about list show user input text",
  ),
);

function speaksOf({ name, description }: ToolDescription, asked: ReadonlySet<string>): boolean {
  return searchTerms(`${name} ${description}`).some((term) => asked.has(term) && !COMMON.has(term));
}

const QUESTION_NAMES = [
  "query",
  "question",
  "input",
  "q",
  "search",
  "search_query",
  "text",
  "prompt",
  "keywords",
  "term",
];

/** The one string parameter into which a question can be put; undefined when the tool needs more than that. */
export function questionParameter(
  parameters: Readonly<Record<string, unknown>>,
): string | undefined {
  const properties = Object.entries(isRecord(parameters.properties) ? parameters.properties : {});
  const strings = properties
    .filter(([, schema]) => isRecord(schema) && takesString(schema))
    .map(([name]) => name);
  const required = Array.isArray(parameters.required) ? parameters.required : [];
  const key =
    QUESTION_NAMES.find((name) => strings.includes(name)) ??
    (strings.length === 1 ? strings[0] : undefined);
  return key !== undefined && required.every((name) => name === key) ? key : undefined;
}

function takesString({ type, enum: values }: Record<string, unknown>): boolean {
  return (
    values === undefined && (type === "string" || (Array.isArray(type) && type.includes("string")))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

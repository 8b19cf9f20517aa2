/** Several knowledge bases as one: each is a folder with its name, searched with one limit. */
import type { Filter } from "../settings/filter.js";
import { UserError } from "../support/errors.js";
import { bestFirst, fuseLegs, mergeByBest } from "./fusion.js";
import type { Hit, KnowledgeBase, SearchMode } from "./knowledge-base.js";
import { globMatcher } from "./search-filter.js";

/**
 * Joins knowledge bases by name. A document's path begins with the name of its base, so that
 * whatever takes a path (a filter, `--in`, `read_file`) chooses among them: `path = "hr"`. Results
 * are merged by their scores, which on two sets of documents found nearly what each finds alone; by
 * rank a third of what was among the first five was lost. The grader has one cut for all.
 */
export function joinKnowledgeBases(
  bases: ReadonlyMap<string, KnowledgeBase>,
  name: string,
): KnowledgeBase {
  const all = [...bases];
  const [first] = all.map(([, base]) => base);
  if (first === undefined) throw new UserError("no knowledge base is named", "name=folder, …");
  const only = (names: readonly string[]): KnowledgeBase => {
    const chosen = new Map(
      names.map((each) => {
        const base = bases.get(each);
        if (base !== undefined) return [each, base];
        throw new UserError(`there is no knowledge base "${each}"`, "see CRAG_KNOWLEDGE_BASES");
      }),
    );
    return joinKnowledgeBases(chosen, [...chosen.keys()].join(" + "));
  };
  const isShared = (mode: SearchMode): boolean =>
    all.every(([, base]) => base.modes.includes(mode));
  const vectorModel = all.every(([, base]) => base.vectorModel === first.vectorModel)
    ? first.vectorModel
    : undefined;
  const each = <T>(
    filter: Filter | undefined,
    work: (base: KnowledgeBase, filter: Filter | undefined, prefix: string) => Promise<T>,
  ): Promise<T[]> =>
    Promise.all(all.map(([key, base]) => work(base, filter && within(key, filter), `${key}/`)));
  return {
    name,
    // Vectors of two models do not compare with one question's.
    modes: first.modes.filter((mode) => isShared(mode) && (mode === "keyword" || vectorModel)),
    ...(vectorModel !== undefined && { vectorModel }),
    async search(mode, request) {
      const lists = await each(request.filter, async (base, filter, prefix) => {
        const hits = await base.search(mode, { ...request, filter });
        return hits.map((hit): Hit => ({ ...hit, passage: placed(hit.passage, prefix) }));
      });
      const found = lists.flat();
      // The share of the best word score counts within all bases, not within each.
      const leg = (scale: "bm25" | "cosine"): Hit[] =>
        bestFirst(
          found.flatMap((hit) => {
            const score = hit.scores.find((one) => one.scale === scale);
            return score === undefined ? [] : [{ ...hit, scores: [score] }];
          }),
        );
      const merged =
        mode === "hybrid" && vectorModel !== undefined
          ? fuseLegs(leg("bm25"), leg("cosine"), [], vectorModel)
          : mergeByBest(lists);
      return merged.slice(0, request.limit);
    },
    async documents(filter) {
      const lists = await each(filter, async (base, within, prefix) =>
        (await base.documents(within)).map((document) => placed(document, prefix)),
      );
      return lists.flat();
    },
    async passagesOf(path, filter) {
      const lists = await each(filter, async (base, within, prefix) =>
        path.startsWith(prefix)
          ? (await base.passagesOf(path.slice(prefix.length), within)).map((passage) =>
              placed(passage, prefix),
            )
          : [],
      );
      return lists.flat();
    },
    async version() {
      const versions = await each(undefined, (base) => base.version());
      return versions.includes(undefined) ? undefined : versions.join(" ");
    },
    async stats(filter) {
      const counts = await each(filter, (base, within) => base.stats(within));
      const sum = (of: (each: (typeof counts)[number]) => number): number =>
        counts.reduce((total, one) => total + of(one), 0);
      const [embedding] = counts.flatMap((one) => one.embedding ?? []);
      return {
        documents: sum(({ documents }) => documents),
        passages: sum(({ passages }) => passages),
        ...(vectorModel !== undefined && embedding && { embedding }),
      };
    },
    only,
    async close() {
      await each(undefined, (base) => base.close());
    },
  };
}

function placed<T extends { path: string }>(item: T, prefix: string): T {
  return { ...item, path: `${prefix}${item.path}` };
}

const ALL: Filter = { type: "exists", key: "path" };
const NOTHING: Filter = { type: "not", filter: ALL };

/** Returns a filter on the joined paths as one on the paths of a base. */
function within(name: string, filter: Filter): Filter {
  switch (filter.type) {
    case "and":
    case "or":
      return { ...filter, filters: filter.filters.map((each) => within(name, each)) };
    case "not":
      return { type: "not", filter: within(name, filter.filter) };
    case "eq":
    case "in": {
      if (filter.key !== "path") return filter;
      const values = [filter.value].flat();
      return { type: "or", filters: values.map((value) => pathWithin(name, String(value))) };
    }
    case "ne":
      return { type: "not", filter: within(name, { ...filter, type: "eq" }) };
    case "nin":
      return { type: "not", filter: within(name, { ...filter, type: "in" }) };
    case "gt":
    case "gte":
    case "lt":
    case "lte":
    case "exists":
    case "names":
      return filter;
    default:
      return filter satisfies never;
  }
}

function pathWithin(name: string, pattern: string): Filter {
  const at = pattern.indexOf("/");
  const head = at < 0 ? pattern : pattern.slice(0, at);
  const rest = at < 0 ? "" : pattern.slice(at + 1);
  // It crosses folders, the first one too.
  if (head.startsWith("**")) return { type: "eq", key: "path", value: pattern };
  if (!globMatcher(head)(name)) return NOTHING;
  return rest === "" ? ALL : { type: "eq", key: "path", value: rest };
}

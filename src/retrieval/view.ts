/**
 * A knowledge base as one caller sees it. The caller's permissions and filter become part of every
 * request to the store, so nothing that is hidden is ranked, counted or read.
 */
import { LRUCache } from "lru-cache";
import { allOf, keysOf, type Filter } from "../settings/filter.js";
import type { Principal } from "../settings/principal.js";
import {
  isPermissionKey,
  PERMISSION_KEYS,
  withoutPermissions,
  type Metadata,
} from "../state/metadata.js";
import { UserError } from "../support/errors.js";
import { nearestName } from "../text/spelling.js";
import type { KnowledgeBase } from "./knowledge-base.js";
import { filterMatcher } from "./search-filter.js";

/** What a caller sees of a knowledge base. */
export interface Seen {
  /** Without one, only documents that are for everybody. */
  principal?: Principal | undefined;
  filter?: Filter | undefined;
  /** Names of those that are searched, where several are joined: `hr, it`. */
  knowledgeBase?: string | undefined;
}

/**
 * Returns the part of a knowledge base that a caller may see, and that passes the caller's filter.
 * @throws UserError for a filter that names a key which no visible document has, and for a name
 *   that no knowledge base has
 */
export async function viewOf(
  whole: KnowledgeBase,
  { principal, filter, knowledgeBase: names }: Seen = {},
): Promise<KnowledgeBase> {
  const knowledgeBase =
    names === undefined ? whole : whole.only?.(names.split(",").map((name) => name.trim()));
  if (knowledgeBase === undefined)
    throw new UserError(
      `there is no knowledge base "${names ?? ""}": only one is open, without a name`,
      "name several in CRAG_KNOWLEDGE_BASES",
    );
  const permitted = permittedTo(principal);
  const visible = allOf([permitted, filter]);
  // The store has applied it already; a store of somebody else's may not have.
  const isPermitted = filterMatcher(permitted);
  const view: KnowledgeBase = {
    get name() {
      return knowledgeBase.name;
    },
    get modes() {
      return knowledgeBase.modes;
    },
    get vectorModel() {
      return knowledgeBase.vectorModel;
    },
    async search(mode, request) {
      const narrowed = allOf([visible, request.filter]);
      const hits = await knowledgeBase.search(mode, { ...request, filter: narrowed });
      return hits
        .filter(({ passage }) => isPermitted(passage))
        .map((hit) => ({ ...hit, passage: withPublicMetadata(hit.passage) }));
    },
    async documents(further) {
      const documents = await knowledgeBase.documents(allOf([visible, further]));
      return documents.filter(isPermitted).map(withPublicMetadata);
    },
    async passagesOf(path, further) {
      const passages = await knowledgeBase.passagesOf(path, allOf([visible, further]));
      return passages.filter(isPermitted).map(withPublicMetadata);
    },
    async version() {
      // Caches are keyed by it: what one caller found is not another's.
      const version = await knowledgeBase.version();
      return version === undefined ? undefined : `${version} ${JSON.stringify(visible)}`;
    },
    async stats(further) {
      const { documents, passages, embedding } = await knowledgeBase.stats(
        allOf([visible, further]),
      );
      // The number that wait for vectors would count what is hidden.
      const { pending: _, ...vectors } = embedding ?? { model: "", dimensions: 0 };
      return { documents, passages, ...(embedding && { embedding: vectors }) };
    },
    close: () => knowledgeBase.close(),
  };
  if (filter !== undefined) await requireKnownKeys(knowledgeBase, filter, permitted);
  return view;
}

/** Returns the filter of all that a caller may see. */
function permittedTo(principal: Principal | undefined): Filter {
  const open: Filter = {
    type: "not",
    filter: { type: "or", filters: PERMISSION_KEYS.map((key) => ({ type: "exists", key })) },
  };
  if (principal === undefined) return open;
  // Compared as text: an identity like 2024-05-01 is no date.
  const { id, groups = [] } = principal;
  return {
    type: "or",
    filters: [
      open,
      { type: "names", key: "users", value: [id] },
      { type: "names", key: "groups", value: groups },
    ],
  };
}

function withPublicMetadata<T extends { metadata?: Metadata | undefined }>(item: T): T {
  const metadata = withoutPermissions(item.metadata ?? {});
  return { ...item, metadata: Object.keys(metadata).length > 0 ? metadata : undefined };
}

/** Keys that documents have: counting 100,000 holds a question up for a quarter of a second. */
const knownKeys = new LRUCache<string, true>({ max: 1_000 });

/**
 * @param permitted what the caller may see; without it everything, permissions included
 * @throws UserError for a filter that names a key which none of these documents has
 */
export async function requireKnownKeys(
  knowledgeBase: KnowledgeBase,
  filter: Filter,
  permitted?: Filter,
): Promise<void> {
  const version = await knowledgeBase.version();
  const seen = (key: string): string =>
    JSON.stringify([knowledgeBase.name, version, permitted, key]);
  const open = [...new Set(keysOf(filter))].filter(
    (key) => !["path", "kind", "date"].includes(key) && !knownKeys.has(seen(key)),
  );
  // One that holds nothing for the caller, or cannot tell, knows no keys.
  if (open.length === 0 || (await knowledgeBase.stats(permitted)).passages === 0) return;
  for (const key of open) {
    const withKey = allOf([permitted, { type: "exists", key }]);
    const isSecret = permitted !== undefined && isPermissionKey(key);
    if (!isSecret && (await knowledgeBase.stats(withKey)).passages > 0) {
      if (version !== undefined) knownKeys.set(seen(key), true);
      continue;
    }
    const documents = (await knowledgeBase.documents(permitted)).map(withPublicMetadata);
    const known = new Set(documents.flatMap(({ metadata = {} }) => Object.keys(metadata)));
    const names = ["path", "kind", "date", ...known];
    const meant = nearestName(key, names);
    throw new UserError(
      `no document has the key "${key}" that the filter names`,
      meant === undefined
        ? `known keys: ${names.slice(0, 30).join(", ")}`
        : `did you mean ${meant}?`,
    );
  }
}

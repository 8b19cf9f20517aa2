import { isGlob } from "../glob.js";
import type { SearchRequest } from "../knowledge-base.js";
import { folderOfGlob, pathMatcher } from "../path-pattern.js";
import type { QdrantConnection } from "./connection.js";
import { lieIn, pointsOf } from "./filter.js";
import { scrollPayloads } from "./scroll.js";

const DOCUMENTS_PER_PAGE = 1000;

/**
 * The paths that a filter's glob matches, undefined without a glob. The server knows none: they are looked up in the folder that the glob
 * names.
 */
export async function pathsOfGlob(
  connection: QdrantConnection,
  { filter, signal }: SearchRequest,
): Promise<string[] | undefined> {
  const pattern = filter?.path;
  if (pattern === undefined || !isGlob(pattern)) return undefined;
  const folder = folderOfGlob(pattern);
  const matches = pathMatcher(pattern);
  const paths: string[] = [];
  const documents = pointsOf("document", folder === "" ? [] : [lieIn(folder)]);
  for await (const payload of scrollPayloads(connection, documents, {
    pageSize: DOCUMENTS_PER_PAGE,
    fields: ["path"],
    signal,
  })) {
    const path: unknown = payload?.["path"];
    if (typeof path === "string" && matches(path)) paths.push(path);
  }
  return paths;
}

/** How a filter names paths: one path, a folder prefix that ends in `/`, or a glob. */
import { globMatcher, isGlob } from "./glob.js";

/** The folders above a path, each with its closing slash: `a/b/c.md` → `a/`, `a/b/`. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1))
    folders.push(path.slice(0, slash + 1));
  return folders;
}

/** The longest folder in which every path that the glob matches must lie; empty when there is none. */
export function folderOfGlob(pattern: string): string {
  const wildcard = pattern.search(/[*?{]/);
  const literal = wildcard === -1 ? pattern : pattern.slice(0, wildcard);
  return literal.slice(0, literal.lastIndexOf("/") + 1);
}

/** A test for whole paths. */
export function pathMatcher(pattern: string): (path: string) => boolean {
  if (isGlob(pattern)) return globMatcher(pattern);
  return pattern.endsWith("/") ? (path) => path.startsWith(pattern) : (path) => path === pattern;
}

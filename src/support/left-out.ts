/** Which files are never documents: what is hidden, installed or secret. */

/** Folders that hold no documents of the user's. */
const FOLDERS = new Set(["node_modules", "__pycache__", "bower_components"]);

/** Files that hold keys and passwords, by their usual names. */
const SECRET =
  /^(?:\.env.*|.*\.env|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg)|id_[^.]*(?:\.pub)?)$/i;

/**
 * Returns why a path is left out, judged by each of its parts.
 * @param relativePath below the folder that the user named; `/` or `\` between its parts
 */
export function whyLeftOut(relativePath: string): string | undefined {
  const parts = relativePath.split(/[/\\]/);
  if (parts.some((part) => FOLDERS.has(part))) return "it lies in a folder of installed packages";
  if (isSecretName(relativePath)) return "it may hold secrets";
  if (parts.some((part) => part.startsWith(".") && part !== "." && part !== ".."))
    return "it is hidden";
  return undefined;
}

/** True for a file whose name says that it holds keys or passwords. */
export function isSecretName(file: string): boolean {
  return SECRET.test(file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1));
}

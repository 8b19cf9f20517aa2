/** Limits the search to one folder of the documents. */
import { useEffect, useState } from "preact/hooks";
import { listDocuments } from "./documents-api.js";
import { html } from "./html.js";

const MOST_DOCUMENTS = 500;

/** @param documents their number, a change of which asks for the folders anew */
export function FolderChoice({ folder, documents, onFolder }) {
  const [folders, setFolders] = useState([]);
  useEffect(() => {
    listDocuments({ limit: MOST_DOCUMENTS }).then(
      (found) => setFolders(foldersOf(found.documents)),
      () => undefined,
    );
  }, [documents]);
  const choices = folder && !folders.includes(folder) ? [folder, ...folders] : folders;
  if (choices.length < 2 && !folder) return null;
  return html`<select
    class="folder"
    aria-label="Search in"
    value=${folder ?? ""}
    onChange=${(event) => onFolder(event.currentTarget.value || undefined)}
  >
    <option value="">All documents</option>
    ${choices.map((path) => html`<option value=${path}>Only in ${path}</option>`)}
  </select>`;
}

/** Returns the context of a run that searches one folder only. */
export function contextOfFolder(folder) {
  return folder === undefined ? {} : { filter: { type: "eq", key: "path", value: folder } };
}

/** Returns all folders that hold documents, at any depth. */
function foldersOf(documents) {
  const folders = documents
    .filter(({ path }) => !/^https?:/i.test(path))
    .flatMap(({ path }) => {
      const parts = path.split("/").slice(0, -1);
      return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
    });
  return [...new Set(folders)].filter((path) => path !== "" && path !== ".").sort();
}

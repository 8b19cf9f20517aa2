/** Uploads dropped or chosen files, one after the other. */
import { useEffect, useRef, useState } from "preact/hooks";
import { uploadDocument } from "./documents-api.js";
import { counted } from "./words.js";

const MEDIA = /^(?:image|audio|video|font)\//;

/**
 * Returns the files of a drop and of its folders as `{ path, file }`, without hidden and installed
 * ones. Must be called before the drop event ends, because the browser then forgets the files.
 */
function filesOfDrop(dataTransfer) {
  const entries = [...dataTransfer.items]
    .filter(({ kind }) => kind === "file")
    .map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  return walked(entries.filter(Boolean));
}

/** Returns the files of an input field. */
export function filesOfField(field) {
  const found = [...field.files].map((file) => ({
    path: file.webkitRelativePath || file.name,
    file,
  }));
  // A chosen folder comes with its hidden files; a file chosen by name is reported even if hidden.
  return found.filter(({ path }) => !path.includes("/") || !path.split("/").some(isLeftOut));
}

async function walked(entries) {
  const found = [];
  for (const entry of entries) {
    if (entry instanceof File) found.push({ path: entry.name, file: entry });
    else if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      found.push({ path: entry.fullPath.replace(/^\//, ""), file });
    } else found.push(...(await walked(await childrenOf(entry))));
  }
  return found;
}

async function childrenOf(folder) {
  const reader = folder.createReader();
  const children = [];
  // The browser returns a folder in chunks of about a hundred entries.
  for (;;) {
    const piece = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (piece.length === 0) return children.filter(({ name }) => !isLeftOut(name));
    children.push(...piece);
  }
}

function isLeftOut(name) {
  return name.startsWith(".") || name === "node_modules";
}

/** An upload before its first file. */
function newUpload(files) {
  return { total: files.length, done: 0, taken: 0, current: undefined, problems: [], ended: false };
}

/**
 * Sends files; a failure of one does not stop the others.
 * @param onChange called with the state of the upload after each step
 */
async function sendFiles(files, { maxBytes, signal, onChange }) {
  let upload = newUpload(files);
  const change = (update) => onChange((upload = { ...upload, ...update }));
  for (const next of files) {
    change({ current: next.path });
    const result = await send(next, { maxBytes, signal });
    if (signal.aborted) break;
    change(
      result.reason === undefined
        ? { done: upload.done + 1, taken: upload.taken + 1 }
        : { done: upload.done + 1, problems: [...upload.problems, { path: next.path, ...result }] },
    );
  }
  change({ current: undefined, ended: true });
  return upload;
}

async function send({ path, file }, { maxBytes, signal }) {
  if (MEDIA.test(file.type) && file.type !== "image/svg+xml")
    return { state: "left_out", reason: "it holds no text (image, sound or font)" };
  if (file.size > maxBytes)
    return { state: "failed", reason: `it is larger than ${Math.floor(maxBytes / 1e6)} MB` };
  try {
    const { state, reason } = await uploadDocument({ path, file, signal });
    return { state, reason };
  } catch (error) {
    return { state: "failed", reason: error.message };
  }
}

/** A folder that has the name of a knowledge base goes into that one. */
function placedIn(base, files, bases) {
  const isPlaced = (path) => bases.some((name) => path.startsWith(`${name}/`));
  return files.map(({ path, file }) => ({
    path: base === undefined || isPlaced(path) ? path : `${base}/${path}`,
    file,
  }));
}

/** The current upload, which continues while its window is closed. */
export function useUpload({ info, say, onEnd }) {
  const [upload, setUpload] = useState(undefined);
  const bases = info?.knowledge_bases ?? [];
  const [chosen, setBase] = useState(undefined);
  const base = chosen ?? bases[0];
  const abort = useRef(undefined);
  const running = upload !== undefined && !upload.ended;

  /** @param found a DataTransfer, or a list of files */
  async function add(found) {
    if (running) return;
    // Called before any `await`: see filesOfDrop.
    const reading = Array.isArray(found) ? found : filesOfDrop(found);
    const stop = new AbortController();
    abort.current = stop;
    setUpload(newUpload([]));
    const files = await Promise.resolve(reading).catch(() => []);
    say(`Adding ${counted(files.length, "file")}`);
    const { taken, problems } = await sendFiles(placedIn(base, files, bases), {
      maxBytes: info?.max_upload_bytes ?? Infinity,
      signal: stop.signal,
      onChange: setUpload,
    });
    say(`${counted(taken, "file")} added, ${problems.length} not`);
    onEnd();
  }

  return {
    state: upload,
    running,
    bases,
    base,
    setBase,
    add,
    cancel: () => abort.current?.abort(),
    clear: () => setUpload(undefined),
  };
}

/** Files may be dropped anywhere. */
export function useDrop(onFiles) {
  const handler = useRef(onFiles);
  handler.current = onFiles;
  useEffect(() => {
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files") === true;
    const over = (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    };
    const leave = (event) => {
      if (event.relatedTarget === null) document.body.classList.remove("dropping");
    };
    const drop = (event) => {
      document.body.classList.remove("dropping");
      if (!hasFiles(event)) return;
      event.preventDefault();
      handler.current(event.dataTransfer);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
}

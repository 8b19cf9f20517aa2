/** What was dropped or chosen, sent file by file. */
import { uploadDocument } from "./documents-api.js";

/** Files at a time; the server takes one after the other. */
const AT_A_TIME = 2;
const MEDIA = /^(?:image|audio|video|font)\//;

/**
 * The files of a drop, folders walked. Must be called before the drop event ends, after which the
 * browser forgets what was dropped.
 * @returns a promise of `{ path, file }`; what is hidden or installed is counted, not read
 */
export function filesOfDrop(dataTransfer) {
  const entries = [...dataTransfer.items]
    .filter(({ kind }) => kind === "file")
    .map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  return walked(entries.filter(Boolean));
}

/** The files of a field for files or folders. */
export function filesOfField(field) {
  const found = [...field.files].map((file) => ({
    path: file.webkitRelativePath || file.name,
    file,
  }));
  // A browser walks a chosen folder to its last hidden file; a file chosen by name is told about.
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
  // A folder is read in pieces of a hundred or so.
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
export function newUpload(files) {
  return { total: files.length, done: 0, taken: 0, current: undefined, problems: [], ended: false };
}

/**
 * Sends files; a failure of one does not stop the others.
 * @param onChange told the upload as it stands after each step
 */
export async function sendFiles(files, { maxBytes, signal, onChange }) {
  let upload = newUpload(files);
  const change = (update) => onChange((upload = { ...upload, ...update }));
  const queue = [...files];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (signal.aborted) return;
      change({ current: next.path });
      const result = await send(next, { maxBytes, signal });
      if (signal.aborted) return;
      const isTaken = result.reason === undefined;
      change({
        done: upload.done + 1,
        taken: upload.taken + (isTaken ? 1 : 0),
        problems: isTaken ? upload.problems : [...upload.problems, { path: next.path, ...result }],
      });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
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

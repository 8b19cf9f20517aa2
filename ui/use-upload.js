/** The upload under way; it goes on while its window is closed. */
import { useRef, useState } from "preact/hooks";
import { filesOfDrop, newUpload, sendFiles } from "./upload.js";
import { counted } from "./words.js";

export function useUpload({ info, say, onEnd }) {
  const [upload, setUpload] = useState(undefined);
  const abort = useRef(undefined);
  const running = upload !== undefined && !upload.ended;

  /** @param found what was dropped, or a list of files */
  async function add(found) {
    if (running) return;
    // Before anything is awaited: the browser forgets what was dropped.
    const reading = Array.isArray(found) ? found : filesOfDrop(found);
    const stop = new AbortController();
    abort.current = stop;
    setUpload(newUpload([]));
    const files = await Promise.resolve(reading).catch(() => []);
    say(`Adding ${counted(files.length, "file")}`);
    const { taken, problems } = await sendFiles(files, {
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
    add,
    cancel: () => abort.current?.abort(),
    clear: () => setUpload(undefined),
  };
}

/** Events of the whole page: keys, dropped files, its width. */
import { useEffect, useRef, useState } from "preact/hooks";

/** "/" focuses the question, Escape stops the run. */
export function useShortcuts({ busy, stop }) {
  useEffect(() => {
    const onKey = (event) => {
      const isInWindow = document.querySelector("dialog[open]") !== null;
      if (event.key === "Escape" && busy && !isInWindow) stop();
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key !== "/" || !isPlain || isInWindow || isTyping(event.target)) return;
      event.preventDefault();
      document.getElementById("question")?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
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

export function useMedia(query) {
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const onChange = () => setMatches(query.matches);
    query.addEventListener("change", onChange);
    return () => query.removeEventListener("change", onChange);
  }, []);
  return matches;
}

function isTyping(target) {
  return (
    target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]")
  );
}

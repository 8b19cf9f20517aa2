/** The page: a list of conversations, the current one, windows for documents and settings. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { about, listThreads } from "./api.js";
import { Composer, contextOfFolder } from "./composer.js";
import { useConversation } from "./conversation.js";
import { DocumentsPanel } from "./documents-panel.js";
import { html, Icon, IconButton } from "./elements.js";
import { saveConversation } from "./export.js";
import { KeyForm } from "./key-form.js";
import { onKeyNeeded } from "./request.js";
import { chosenSettings, SettingsPanel, showColors } from "./settings.js";
import { SideBar } from "./side-bar.js";
import { TurnView } from "./turn-view.js";
import { useDrop, useUpload } from "./upload.js";
import { Welcome } from "./welcome.js";

const TITLE = "Corrective RAG";

function App() {
  const [settings, setSettings] = useState(chosenSettings);
  const [folder, setFolder] = useState(undefined);
  const [info, setInfo] = useState(undefined);
  const [threads, setThreads] = useState([]);
  const [spoken, setSpoken] = useState("");
  /** The open window: settings, or documents with the one that is shown. */
  const [open, setOpen] = useState(windowInAddress);
  const [keyAsked, setKeyAsked] = useState(undefined);

  const refreshInfo = () => about().then(setInfo, (error) => setInfo({ error: error.message }));
  const refreshThreads = () => listThreads().then(setThreads, () => undefined);
  const talk = useConversation({
    context: { ...settings, ...contextOfFolder(folder) },
    say: setSpoken,
    onChange: refreshThreads,
  });
  const { turns, busy } = talk;
  const upload = useUpload({ info, say: setSpoken, onEnd: refreshInfo });

  useEffect(() => {
    onKeyNeeded(
      (wasRefused) =>
        new Promise((resolve, reject) => setKeyAsked({ wasRefused, resolve, reject })),
    );
    void refreshInfo().then(refreshThreads);
    const onAddress = () => {
      const window = windowInAddress();
      if (window !== undefined) setOpen(window);
    };
    addEventListener("hashchange", onAddress);
    return () => removeEventListener("hashchange", onAddress);
  }, []);

  // Scrolls a new question to the top, once.
  useEffect(() => {
    if (turns.length > 0)
      document.getElementById(`turn-${turns.length - 1}`)?.scrollIntoView({ block: "start" });
  }, [turns.length]);

  const question = turns.at(-1)?.question;
  useEffect(() => {
    document.title = question === undefined ? TITLE : `${busy ? "… " : ""}${question} – ${TITLE}`;
  }, [question, busy]);

  useDrop((files) => {
    showWindow({ window: "documents" });
    upload.add(files);
  });

  const showWindow = (next) => {
    document.getElementById("side").hidePopover();
    setOpen(next);
  };
  const leave = (go) => {
    go();
    showWindow(undefined);
    document.getElementById("question")?.focus();
  };
  const showDocuments = (target) => showWindow({ window: "documents", target });
  const showSettings = () => showWindow({ window: "settings" });
  const close = () => {
    if (windowInAddress() !== undefined) history.replaceState(null, "", location.pathname);
    setOpen(undefined);
  };
  const mayAskAgain = ({ status, outcome }, index) =>
    index === turns.length - 1 &&
    (status === "stopped" || [status, outcome?.status].includes("failed"));
  const documents = info?.knowledge_base?.documents;

  return html`<a class="skip" href="#question">Skip to the question</a>
    <${SideBar}
      threads=${threads}
      current=${talk.threadId}
      documents=${documents}
      uploading=${upload.running}
      onNew=${() => leave(talk.begin)}
      onOpen=${(id) => leave(() => talk.open(id))}
      onGone=${(id) => id === talk.threadId && talk.begin()}
      onChange=${refreshThreads}
      onExport=${turns.length > 0 && !busy ? () => saveConversation(turns) : undefined}
      onDocuments=${() => showDocuments()}
      onSettings=${showSettings}
    />
    <div class="page">
      <header>
        <button type="button" class="icon-button" aria-label="Menu" popovertarget="side">
          <${Icon} name="menu" />
        </button>
        <p class="brand"><img src="/app/icon.svg" alt="" width="22" height="22" />${TITLE}</p>
        <${IconButton} icon="plus" label="New conversation" onClick=${() => leave(talk.begin)} />
      </header>
      <main>
        <h1 class=${turns.length > 0 ? "visually-hidden" : ""}>Ask your documents</h1>
        ${talk.notice && html`<p class="notice" role="alert">${talk.notice}</p>`}
        ${turns.length === 0 && html`<${Welcome} info=${info} onAsk=${talk.send} onDocuments=${() => showDocuments()} />`}
        ${turns.map(
          (turn, index) =>
            html`<${TurnView}
              key=${index}
              turn=${turn}
              index=${index}
              info=${info}
              threadId=${talk.threadId}
              onAgain=${mayAskAgain(turn, index) ? talk.send : undefined}
              onAsk=${index === turns.length - 1 && !busy ? talk.send : undefined}
              onEdit=${busy ? undefined : (edited) => talk.edit(index, edited)}
              onShow=${showDocuments}
            />`,
        )}
      </main>
      <footer>
        <${Composer}
          busy=${busy}
          settings=${settings}
          folder=${folder}
          documents=${documents}
          onFolder=${setFolder}
          onSettings=${showSettings}
          onAsk=${talk.send}
          onStop=${talk.stop}
        />
      </footer>
    </div>
    <p class="visually-hidden" role="status" aria-live="polite">${spoken}</p>
    ${
      open?.window === "documents" &&
      html`<${DocumentsPanel}
        info=${info}
        target=${open.target}
        onTarget=${showDocuments}
        upload=${upload}
        onChange=${refreshInfo}
        onClose=${close}
      />`
    }
    ${open?.window === "settings" && html`<${SettingsPanel} settings=${settings} onSettings=${setSettings} onClose=${close} />`}
    ${
      keyAsked &&
      html`<${KeyForm}
        wasRefused=${keyAsked.wasRefused}
        onKey=${(key) => {
          setKeyAsked(undefined);
          keyAsked.resolve(key);
        }}
        onClose=${() => {
          setKeyAsked(undefined);
          keyAsked.reject(new Error("the server asks for a key. Reload the page to enter one."));
        }}
      />`
    }`;
}

/** The window that a link asks for: `#document=PATH&line=3`, as citations for other clients have it. */
function windowInAddress() {
  const place = new URLSearchParams(location.hash.slice(1));
  const [path, line, page] = ["document", "line", "page"].map((name) => place.get(name));
  if (path === null) return undefined;
  const at = { ...(line && { start_line: Number(line) }), ...(page && { page: Number(page) }) };
  return { window: "documents", target: { path, ...at } };
}

showColors();
const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);

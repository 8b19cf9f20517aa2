/** The page: a list of conversations, the current one, windows for documents and settings. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { about } from "./api.js";
import { Composer } from "./composer.js";
import { contextOfFolder } from "./folder-choice.js";
import { asMarkdown } from "./markdown.js";
import { useConversation } from "./conversation.js";
import { Dialog } from "./dialog.js";
import { DocumentsPanel } from "./documents-panel.js";
import { html } from "./html.js";
import { Icon } from "./icons.js";
import { KeyForm } from "./key-form.js";
import { useDrop, useMedia, useShortcuts } from "./page-events.js";
import { onKeyNeeded } from "./request.js";
import { chosenSettings, contextOf, SettingsPanel } from "./settings.js";
import { SideBar } from "./side-bar.js";
import { showTheme } from "./theme.js";
import { listThreads } from "./threads.js";
import { TurnView } from "./turn-view.js";
import { useUpload } from "./upload.js";
import { Welcome } from "./welcome.js";

const TITLE = "Corrective RAG";
const WIDE = matchMedia("(min-width: 64rem)");

function App() {
  const [text, setText] = useState("");
  const [settings, setSettings] = useState(chosenSettings);
  const [folder, setFolder] = useState(undefined);
  const [info, setInfo] = useState(undefined);
  const [threads, setThreads] = useState([]);
  const [spoken, setSpoken] = useState("");
  /** The open window: menu, settings, or documents with the one that is shown. */
  const [open, setOpen] = useState(undefined);
  const [keyAsked, setKeyAsked] = useState(undefined);
  const isWide = useMedia(WIDE);

  const refreshInfo = () => about().then(setInfo, (error) => setInfo({ error: error.message }));
  const refreshThreads = () => listThreads().then(setThreads, () => undefined);
  const talk = useConversation({
    context: { ...contextOf(settings), ...contextOfFolder(folder) },
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

  useShortcuts({ busy, stop: talk.stop });
  useDrop((files) => {
    setOpen({ window: "documents" });
    upload.add(files);
  });

  const ask = (asked) => {
    setText("");
    void talk.send(asked);
  };
  const leave = (go) => {
    go();
    setOpen(undefined);
    document.getElementById("question")?.focus();
  };
  const showDocuments = (target) => setOpen({ window: "documents", target });
  const close = () => setOpen(undefined);
  const mayAskAgain = ({ status }, index) =>
    index === turns.length - 1 && (status === "failed" || status === "stopped");
  const documents = info?.knowledge_base?.documents;

  const side = html`<${SideBar}
    threads=${threads}
    current=${talk.threadId}
    documents=${documents}
    uploading=${upload.running}
    onNew=${() => leave(talk.begin)}
    onOpen=${(id) => leave(() => talk.open(id))}
    onGone=${(id) => id === talk.threadId && talk.begin()}
    onChange=${refreshThreads}
    onExport=${turns.length > 0 && !busy ? () => save(turns) : undefined}
    onDocuments=${() => showDocuments()}
    onSettings=${() => setOpen({ window: "settings" })}
  />`;

  return html`<a class="skip" href="#question">Skip to the question</a>
    ${isWide && side}
    <div class="page">
      ${
        !isWide &&
        html`<header>
          <button
            type="button"
            class="icon-button"
            aria-label="Menu"
            onClick=${() => setOpen({ window: "menu" })}
          >
            <${Icon} name="menu" />
          </button>
          <p class="brand"><img src="/app/icon.svg" alt="" width="22" height="22" />${TITLE}</p>
          <button
            type="button"
            class="icon-button"
            aria-label="New conversation"
            onClick=${() => leave(talk.begin)}
          >
            <${Icon} name="plus" />
          </button>
        </header>`
      }
      <main>
        <h1 class=${turns.length > 0 ? "visually-hidden" : ""}>Ask your documents</h1>
        ${talk.notice && html`<p class="notice" role="alert">${talk.notice}</p>`}
        ${turns.length === 0 && html`<${Welcome} info=${info} onAsk=${ask} onDocuments=${() => showDocuments()} />`}
        ${turns.map(
          (turn, index) =>
            html`<${TurnView}
              key=${index}
              turn=${turn}
              index=${index}
              info=${info}
              threadId=${talk.threadId}
              onAgain=${mayAskAgain(turn, index) ? ask : undefined}
              onAsk=${index === turns.length - 1 && !busy ? ask : undefined}
              onEdit=${busy ? undefined : (edited) => talk.edit(index, edited)}
              onShow=${showDocuments}
            />`,
        )}
      </main>
      <footer>
        <${Composer}
          text=${text}
          last=${question}
          onText=${setText}
          settings=${settings}
          folder=${folder}
          documents=${documents}
          onFolder=${setFolder}
          onSettings=${() => setOpen({ window: "settings" })}
          busy=${busy}
          onAsk=${ask}
          onStop=${talk.stop}
        />
      </footer>
    </div>
    <p class="visually-hidden" role="status" aria-live="polite">${spoken}</p>
    ${!isWide && open?.window === "menu" && html`<${Dialog} title="Menu" kind="drawer" onClose=${close}>${side}<//>`}
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

/** Saves the conversation as a file, with its sources. */
function save(turns) {
  const link = document.createElement("a");
  const text = turns.map(asMarkdown).join("\n");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  link.download = `${turns[0].question.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60)}.md`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

showTheme();
render(html`<${App} />`, document.getElementById("app"));

/** `documents`: what is in the knowledge base, and why something is not. */
import { openablePaths } from "./sources.js";
import { UserError } from "../support/errors.js";
import {
  listDocuments,
  readIngestLog,
  removeDocuments,
  showDocument,
  whyNot,
  type DocumentSummary,
} from "../ingest/documents.js";
import { openForChanging, openForLooking } from "./open.js";
import { DONE, FAILED } from "./report-error.js";
import { printable, printJson, say, styleFor } from "./terminal.js";

export interface DocumentsOptions {
  kb?: string;
  json?: boolean;
}

export async function list(
  filter: string[],
  { kb, json, page = 1, limit = 50 }: DocumentsOptions & { page?: number; limit?: number },
): Promise<number> {
  const { knowledgeBase } = await openForLooking({ kb });
  try {
    const found = await listDocuments(knowledgeBase, {
      filter: filter.join(" "),
      offset: (page - 1) * limit,
      limit,
    });
    if (json) {
      printJson(found);
      return DONE;
    }
    for (const document of found.documents) print(lineOf(document));
    const pages = Math.ceil(found.total / limit);
    say(
      `${found.documents.length} of ${found.total} documents in ${knowledgeBase.name}` +
        (pages > 1 ? `, page ${page} of ${pages} (--page ${page < pages ? page + 1 : 1})` : ""),
    );
    return DONE;
  } finally {
    await knowledgeBase.close();
  }
}

export async function show(file: string, { kb, json }: DocumentsOptions): Promise<number> {
  const { knowledgeBase } = await openForLooking({ kb });
  try {
    const found = await showDocument(knowledgeBase, file);
    if (found === undefined)
      throw new UserError(
        `there is no document ${file} in ${knowledgeBase.name}`,
        `corrective-rag documents why-not ${file}`,
        FAILED,
      );
    if (json) printJson(found);
    else {
      const { bold, dim } = styleFor(process.stdout);
      print(bold(lineOf(found.document)));
      for (const { startLine, page, heading, text } of found.passages) {
        const place = [startLine && `line ${startLine}`, page && `page ${page}`, heading];
        print(`\n${dim(place.filter(Boolean).join(", "))}\n${text}`);
      }
    }
    return DONE;
  } finally {
    await knowledgeBase.close();
  }
}

export async function remove(targets: string[], { kb, json }: DocumentsOptions): Promise<number> {
  const { knowledgeBase } = await openForChanging({ kb });
  try {
    const { removed, unknown } = await removeDocuments(knowledgeBase, targets);
    if (json) printJson({ removed, unknown });
    else {
      for (const path of removed) print(`removed ${path}`);
      for (const target of unknown) say(`there is no document ${printable(target)}`);
      say(`${removed.length} removed; the files themselves are left alone`);
    }
    return unknown.length > 0 ? FAILED : DONE;
  } finally {
    await knowledgeBase.close();
  }
}

export async function explainMissing(
  file: string,
  { kb, json }: DocumentsOptions,
): Promise<number> {
  const { knowledgeBase, folder } = await openForLooking({ kb });
  try {
    const found = await whyNot(knowledgeBase, file, { log: await readIngestLog(folder) });
    if (json) printJson(found);
    else print(found.reason);
    return DONE;
  } finally {
    await knowledgeBase.close();
  }
}

/** A path that opens from here, what it holds, and how it stands. */
function lineOf(document: DocumentSummary): string {
  const { path, absolutePath, passages, modifiedAt, state } = document;
  const place = openablePaths([{ path, absolutePath }])(path);
  const facts = [
    `${passages} passages`,
    modifiedAt?.slice(0, 10),
    state === "current" ? "" : state,
  ];
  return `${place}  (${facts.filter(Boolean).join(", ")})`;
}

function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

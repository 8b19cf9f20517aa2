/** A small library that every kind of knowledge base is asked the same questions about. */
import { createHash } from "node:crypto";
import type { DocumentKind } from "../../src/formats/document-formats.js";
import type { DocumentRecord, Passage } from "../../src/retrieval/knowledge-base.js";

export interface LibraryDocument {
  record: DocumentRecord;
  passages: Passage[];
}

interface Sketch {
  path: string;
  kind: DocumentKind;
  title: string;
  modifiedAt?: string;
  texts: string[];
}

export function libraryDocument({ path, kind, title, modifiedAt, texts }: Sketch): LibraryDocument {
  return {
    record: {
      path,
      kind,
      title,
      modifiedAt,
      hash: createHash("sha256").update(texts.join("|")).digest("hex"),
      bytes: texts.join("").length,
    },
    passages: texts.map((text, index) => ({
      id: `${path}#${index}#${text.length}`,
      text,
      blocks: "p0",
      title,
      path,
      kind,
      heading: `${title} > Part ${index + 1}`,
      startLine: index * 10 + 1,
      endLine: index * 10 + 9,
      modifiedAt,
    })),
  };
}

export function libraryDocuments(): LibraryDocument[] {
  return [
    libraryDocument({
      path: "bees/honey.md",
      kind: "markdown",
      title: "Honey",
      modifiedAt: "2024-03-01T12:00:00.000Z",
      texts: [
        "Honey bees store nectar in wax cells and fan it with their wings until it thickens to honey.",
        "A strong colony gives about thirty kilograms of honey in a good summer.",
      ],
    }),
    libraryDocument({
      path: "bees/winter/cluster.md",
      kind: "markdown",
      title: "Wintering",
      modifiedAt: "2024-06-15T08:30:00.000Z",
      texts: [
        "In winter the bees form a cluster around the queen and burn stored honey to keep warm.",
      ],
    }),
    libraryDocument({
      path: "tides.html",
      kind: "html",
      title: "Tides",
      modifiedAt: "2023-01-10T00:00:00.000Z",
      texts: [
        "Spring tides happen when sun and moon pull in one line, neap tides when they pull at right angles.",
      ],
    }),
    libraryDocument({
      path: "glass/float.txt",
      kind: "text",
      title: "Float glass",
      texts: [
        "Float glass is made by pouring molten glass on a bath of liquid tin, where it spreads to an even sheet.",
      ],
    }),
  ];
}

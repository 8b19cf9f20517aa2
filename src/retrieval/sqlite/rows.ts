/** Rows of the database as the port's types, checked at this boundary. */
import {
  DOCUMENT_KINDS,
  type DocumentKind,
  type DocumentRecord,
  type Passage,
} from "../knowledge-base.js";
import type { SqlRow } from "./database.js";

/** The columns that `passageOf` reads; `p` is `passages`, `d` is `documents`. */
export const PASSAGE_COLUMNS =
  "p.id AS row, p.passage_id, p.text, coalesce(p.title, d.title) AS title, d.path, d.kind, p.start_line, p.end_line, p.page, p.heading, d.modified_at";

export function passageOf(row: SqlRow): Passage {
  return {
    id: text(row["passage_id"]),
    text: text(row["text"]),
    title: text(row["title"]),
    path: text(row["path"]),
    kind: kindOf(row["kind"]),
    ...optional("startLine", row["start_line"], "number"),
    ...optional("endLine", row["end_line"], "number"),
    ...optional("page", row["page"], "number"),
    ...optional("heading", row["heading"], "string"),
    ...optional("modifiedAt", row["modified_at"], "string"),
  };
}

export function documentOf(row: SqlRow): DocumentRecord {
  return {
    path: text(row["path"]),
    hash: text(row["hash"]),
    kind: kindOf(row["kind"]),
    title: text(row["title"]),
    bytes: Number(row["bytes"]),
    ...optional("absolutePath", row["absolute_path"], "string"),
    ...optional("modifiedAt", row["modified_at"], "string"),
  };
}

type Primitive = { string: string; number: number };

function optional<K extends string>(key: K, value: unknown, type: "number"): { [P in K]?: number };
function optional<K extends string>(key: K, value: unknown, type: "string"): { [P in K]?: string };
function optional(key: string, value: unknown, type: keyof Primitive): Record<string, unknown> {
  return typeof value === type ? { [key]: value } : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function kindOf(value: unknown): DocumentKind {
  return DOCUMENT_KINDS.find((kind) => kind === value) ?? "text";
}

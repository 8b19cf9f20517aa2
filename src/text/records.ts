/** Rows of a table that were written out, as CSV files are: "name: Ridge Tent; price: 249.00; colour: orange". */

/** `value === line.slice(start, end)`. */
export interface RecordField {
  key: string;
  value: string;
  start: number;
  end: number;
}

const FIELD = /^(?!\s)(?![^:]{0,60}[.!?]\s)([^:;|]{1,60}): (?=\S)/u;

/** The fields of a row, or undefined for a line that is none: prose has such a pair only by chance, in a row most parts are fields. */
export function recordFields(line: string): RecordField[] | undefined {
  if (!line.includes("; ")) return undefined;
  const fields: RecordField[] = [];
  let start = 0;
  let count = 0;
  for (const part of line.split("; ")) {
    const [lead, key] = FIELD.exec(part) ?? [];
    if (lead !== undefined && key !== undefined)
      fields.push({
        key,
        value: part.slice(lead.length),
        start: start + lead.length,
        end: start + part.length,
      });
    // It begins with two fields.
    else if (count < 2) return undefined;
    start += part.length + 2;
    count += 1;
  }
  return fields.length > count / 2 ? fields : undefined;
}

/** A report for people: names and numbers in columns, tables for lists of rows. The same figures as in `--json`, rounded. */

export function showReport(report: unknown): string {
  return linesOf(report, "").join("\n");
}

function linesOf(value: unknown, prefix: string): string[] {
  if (Array.isArray(value))
    return value.every(isRow) && value.length > 0
      ? table(value)
      : [`${prefix} ${value.map(cell).join(", ")}`];
  if (!isRow(value)) return [`${prefix.padEnd(32)} ${cell(value)}`];
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    return Array.isArray(inner) && inner.length > 0 && inner.every(isRow)
      ? ["", `${name}:`, ...table(inner), ""]
      : linesOf(inner, name);
  });
}

function table(rows: readonly Record<string, unknown>[]): string[] {
  const flat = rows.map((row) => flatten(row));
  const columns = [...new Set(flat.flatMap((row) => Object.keys(row)))];
  const widths = columns.map((column) =>
    Math.max(column.length, ...flat.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, n) => text.padEnd(widths[n] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(columns), ...flat.map((row) => line(columns.map((column) => row[column] ?? "")))];
}

function flatten(row: Record<string, unknown>, prefix = ""): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) =>
      isRow(value)
        ? Object.entries(flatten(value, `${prefix}${key}.`))
        : [[prefix + key, cell(value)] as const],
    ),
  );
}

function cell(value: unknown): string {
  if (typeof value === "number") return String(Math.round(value * 10_000) / 10_000);
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isRow(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

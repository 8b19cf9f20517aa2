const said = new Set<string>();

/** A line on stderr, once in a process however many runs meet it. */
export function sayOnce(line: string): void {
  if (said.has(line)) return;
  said.add(line);
  process.stderr.write(`${line}\n`);
}

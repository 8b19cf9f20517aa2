/** Types of what the command line imports from the page. */
export const FAILURES: ReadonlySet<string>;
export function causeText(cause: string): string;
export function callSubject(call: { args: Readonly<Record<string, unknown>> }): string;
export function counted(count: number, noun: string, plural?: string): string;
export function statusOf(turn: {
  outcome: { status: string; causes: readonly string[] };
  result: {
    details: {
      mode: string;
      label: string | null;
      marked: readonly string[];
      withdrawn: readonly string[];
    } | null;
    sources: readonly {
      source: { kind: "file" | "tool"; path: string } | { kind: "web"; url: string };
    }[];
  };
}): { kind: "answered" | "limited" | "failed"; text: string } | undefined;

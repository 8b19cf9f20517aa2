/**
 * `docs/api.md`: every public name with its signature and docstring. Read from the sources as they
 * are written, without resolving types, so that it takes a second.
 */
import { dirname, join } from "node:path";
import ts from "typescript";

const ENTRIES = {
  "corrective-rag": "src/index.ts",
  "corrective-rag/graph": "src/entries/graph.ts",
  "corrective-rag/grading": "src/entries/grading.ts",
  "corrective-rag/reader": "src/entries/reader.ts",
  "corrective-rag/answering": "src/entries/answering.ts",
  "corrective-rag/langchain": "src/langchain/corrective-middleware.ts",
};

const INTRODUCTION = `# API reference

<!-- Made from the docstrings by \`npm run docs\`: change src, not this page. -->

[From code](code.md) shows how these fit together.
`;

/** A declaration that can be shown. */
type Shown =
  | ts.FunctionDeclaration
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.VariableDeclaration;

export function apiPage(): string {
  const program = ownProgram();
  const checker = program.getTypeChecker();
  const seen = new Set<Shown>();
  const sections = Object.entries(ENTRIES).map(([name, path]) => {
    const file = program.getSourceFile(path);
    const lines = (file ? exportsOf(checker, file) : []).flatMap(([shownAs, declaration]) => {
      if (seen.has(declaration)) return [];
      seen.add(declaration);
      return describe(shownAs, declaration);
    });
    const bare = lines.filter((line) => line.startsWith("`")).join(", ");
    const told = lines.filter((line) => !line.startsWith("`")).join("\n");
    return `## ${name}\n\n${told}\n${bare && `\nAlso exported: ${bare}.\n`}`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}

/** Our own files only: packages would take most of the time, and no type of theirs is shown. */
function ownProgram(): ts.Program {
  const options = { noLib: true, types: [], target: ts.ScriptTarget.ES2022 };
  const host = ts.createCompilerHost(options, true);
  host.resolveModuleNameLiterals = (specifiers, importer) =>
    specifiers.map(({ text }) => {
      const resolvedFileName = join(dirname(importer), text.replace(/\.js$/, ".ts"));
      const own = text.startsWith(".") && text.endsWith(".js");
      return { resolvedModule: own ? { resolvedFileName, extension: ".ts" } : undefined };
    });
  return ts.createProgram(Object.values(ENTRIES), options, host);
}

/** The names that an entry exports, values before types, each with its declaration. */
function exportsOf(checker: ts.TypeChecker, file: ts.SourceFile): [string, Shown][] {
  const symbol = checker.getSymbolAtLocation(file);
  const found = (symbol ? checker.getExportsOfModule(symbol) : []).flatMap((exported) => {
    const declaration = declarationOf(checker, exported);
    return declaration ? [[exported.name, declaration] as [string, Shown]] : [];
  });
  const isType = ([, declaration]: [string, Shown]): boolean =>
    ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration);
  return [...found.filter((each) => !isType(each)), ...found.filter(isType)];
}

/** Follows re-exports, and types that are another name for one of ours. */
function declarationOf(checker: ts.TypeChecker, symbol: ts.Symbol): Shown | undefined {
  const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declaration = own.declarations?.find(isShown);
  if (declaration && ts.isTypeAliasDeclaration(declaration)) {
    const { type } = declaration;
    const other = ts.isTypeReferenceNode(type) && checker.getSymbolAtLocation(type.typeName);
    if (other && !("typeArguments" in type && type.typeArguments))
      return declarationOf(checker, other) ?? declaration;
  }
  return declaration;
}

function isShown(node: ts.Node): node is Shown {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isVariableDeclaration(node)
  );
}

/** A line for the name and one for each member with a docstring; the bare name where there is none. */
function describe(name: string, declaration: Shown): string[] {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const isValue = ts.isFunctionDeclaration(declaration) || ts.isClassDeclaration(declaration);
  const doc = isValue ? docOf(node) : firstSentence(docOf(node));
  const members =
    ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)
      ? declaration.members.flatMap((member) => memberLine(member))
      : [];
  if (doc === "" && members.length === 0 && !isValue)
    return [`\`${signature(name, declaration)}\``];
  return [`- **\`${signature(name, declaration)}\`**${told(doc)}`, ...members];
}

function signature(name: string, declaration: Shown): string {
  if (ts.isFunctionDeclaration(declaration)) return callOf(name, declaration);
  if (!ts.isTypeAliasDeclaration(declaration)) return name;
  const type = oneLine(declaration.type);
  return type.length > 90 || /\b(?:z|typeof)\b/.test(type) ? name : `${name} = ${type}`;
}

function callOf(name: string, { parameters, type }: ts.SignatureDeclarationBase): string {
  const shown = parameters.map((each) => {
    const called = ts.isIdentifier(each.name) ? each.name.text : "options";
    const optional = each.questionToken || each.initializer ? "?" : "";
    return `${called}${optional}: ${each.type ? oneLine(each.type) : "unknown"}`;
  });
  return `${name}(${shown.join(", ")})${type ? `: ${oneLine(type)}` : ""}`;
}

/** Nothing for members without a docstring: their names say it. */
function memberLine(member: ts.Node): string[] {
  const doc = told(firstSentence(docOf(member)));
  if (doc === "") return [];
  if (ts.isMethodSignature(member) || ts.isMethodDeclaration(member))
    return [`  - \`${callOf(member.name.getText(), member)}\`${doc}`];
  if (!ts.isPropertySignature(member)) return [];
  return [`  - \`${member.name.getText()}${member.questionToken ? "?" : ""}\`${doc}`];
}

/** The docstring without its examples. */
function docOf(node: ts.Node): string {
  const [last] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).slice(-1);
  if (last === undefined) return "";
  const throws = (last.tags ?? [])
    .filter((tag) => tag.tagName.text === "throws")
    .map((tag) => `Throws ${ts.getTextOfJSDocComment(tag.comment) ?? ""}.`);
  return [ts.getTextOfJSDocComment(last.comment) ?? "", ...throws]
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Up to the first full stop, colon or semicolon behind which it is about something else. */
function firstSentence(doc: string): string {
  return /^.{20,}?(?:[.:](?= [A-Z`])|;(?= ))/.exec(doc)?.[0].replace(/[:;]$/, ".") ?? doc;
}

function told(doc: string): string {
  return doc === "" ? "" : `: ${doc}`;
}

function oneLine(node: ts.Node): string {
  return node
    .getText()
    .replaceAll(/\/\*\*.*?\*\//gs, "")
    .replaceAll(/\s+/g, " ");
}

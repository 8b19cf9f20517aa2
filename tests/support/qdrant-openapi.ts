/**
 * Checks values against Qdrant's published OpenAPI description, in the form in which Qdrant's own client ships it: a file that
 * openapi-typescript generated from it, with one type for each schema. The types are read as syntax and applied to values at run time, so
 * that nothing of the description is copied, and the installed client and the checks can never differ in version.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import ts from "typescript";

export interface ApiOperation {
  /** As in the description, e.g. `/collections/{collection_name}/points/query`. */
  template: string;
  /** Problems with a request's body; empty when it is valid. */
  requestProblems(body: unknown): string[];
  /** Problems with the body of a successful answer. */
  responseProblems(body: unknown): string[];
}

type Types = ReadonlyMap<string, ts.TypeNode>;

/** Finds the operation for a request; undefined when the description has none. */
export function loadQdrantApi(): (method: string, pathname: string) => ApiOperation | undefined {
  const entry = createRequire(import.meta.url).resolve("@qdrant/js-client-rest");
  const file = path.join(
    entry.slice(0, entry.lastIndexOf(`${path.sep}dist${path.sep}`)),
    "dist/types/openapi/generated_schema.d.ts",
  );
  const source = ts.createSourceFile(
    file,
    readFileSync(file, "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const schemas = membersOf(typeOfMember(interfaceNamed(source, "components"), "schemas"));
  const operations = membersOf(interfaceNamed(source, "operations"));
  const paths = [...membersOf(interfaceNamed(source, "paths"))].map(([template, methods]) => ({
    template,
    expression: new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`),
    methods: membersOf(methods),
  }));
  const check = (type: ts.TypeNode | undefined, value: unknown): string[] =>
    type ? problemsOf(type, value, "", schemas) : ["no such schema"];
  return (method, pathname) => {
    const found = paths
      .filter(
        ({ expression, methods }) => expression.test(pathname) && methods.has(method.toLowerCase()),
      )
      .sort((a, b) => a.template.split("{").length - b.template.split("{").length)[0];
    const reference = found?.methods.get(method.toLowerCase());
    const name =
      reference && ts.isIndexedAccessTypeNode(reference)
        ? literalText(reference.indexType)
        : undefined;
    const operation = name === undefined ? undefined : operations.get(name);
    if (!found || !operation) return undefined;
    const body = typeAt(operation, ["requestBody", "content", "application/json"]);
    const answer = typeAt(operation, ["responses", "200", "content", "application/json"]);
    return {
      template: found.template,
      requestProblems: (value) => (body ? check(body, value) : []),
      responseProblems: (value) => check(answer, value),
    };
  };
}

/** All ways in which the value is not of the type. */
function problemsOf(type: ts.TypeNode, value: unknown, at: string, schemas: Types): string[] {
  const wrong = (expected: string) => [
    `${at || "body"}: expected ${expected}, got ${(JSON.stringify(value) ?? "nothing").slice(0, 60)}`,
  ];
  if (ts.isParenthesizedTypeNode(type)) return problemsOf(type.type, value, at, schemas);
  if (ts.isIndexedAccessTypeNode(type)) {
    const name = literalText(type.indexType) ?? "";
    const schema = schemas.get(name);
    return schema
      ? problemsOf(schema, value, at, schemas)
      : [`${at}: the description has no schema ${name}`];
  }
  if (ts.isUnionTypeNode(type)) {
    const attempts = alternativesOf(type).map((member) => problemsOf(member, value, at, schemas));
    // The attempt that came furthest tells most.
    return attempts.some((problems) => problems.length === 0)
      ? []
      : (attempts.sort((a, b) => depthOf(b) - depthOf(a))[0] ?? []);
  }
  if (ts.isIntersectionTypeNode(type))
    return type.types.flatMap((member) =>
      problemsOf(member, value, at, schemas).filter((problem) => !problem.endsWith("is unknown")),
    );
  if (ts.isTypeReferenceNode(type)) {
    const [first, second] = type.typeArguments ?? [];
    switch (type.typeName.getText()) {
      case "OneOf":
        return first && ts.isTupleTypeNode(first)
          ? problemsOf(ts.factory.createUnionTypeNode([...first.elements]), value, at, schemas)
          : wrong("a known type");
      case "Record":
        return isRecord(value)
          ? Object.entries(value).flatMap(([key, inner]) =>
              second ? problemsOf(second, inner, `${at}.${key}`, schemas) : [],
            )
          : wrong("an object");
      default:
        return wrong(`a type that this check knows (${type.getText()})`);
    }
  }
  if (ts.isArrayTypeNode(type)) {
    if (!Array.isArray(value)) return wrong("a list");
    return value.flatMap((item, index) =>
      problemsOf(type.elementType, item, `${at}[${index}]`, schemas),
    );
  }
  if (ts.isTypeLiteralNode(type))
    return isRecord(value) ? problemsOfObject(type, value, at, schemas) : wrong("an object");
  if (ts.isLiteralTypeNode(type)) {
    if (type.literal.kind === ts.SyntaxKind.NullKeyword) return value === null ? [] : wrong("null");
    return value === literalText(type) ? [] : wrong(type.getText());
  }
  if (type.kind === ts.SyntaxKind.StringKeyword)
    return typeof value === "string" ? [] : wrong("a string");
  if (type.kind === ts.SyntaxKind.NumberKeyword)
    return Number.isFinite(value) ? [] : wrong("a number");
  if (type.kind === ts.SyntaxKind.BooleanKeyword)
    return typeof value === "boolean" ? [] : wrong("true or false");
  return type.kind === ts.SyntaxKind.UnknownKeyword
    ? []
    : wrong(`a type that this check knows (${type.getText()})`);
}

function problemsOfObject(
  type: ts.TypeLiteralNode,
  value: Record<string, unknown>,
  at: string,
  schemas: Types,
): string[] {
  const problems: string[] = [];
  const known = new Set<string>();
  let rest: ts.TypeNode | undefined;
  for (const member of type.members) {
    if (ts.isIndexSignatureDeclaration(member)) rest = member.type;
    if (!ts.isPropertySignature(member) || !member.type) continue;
    const name = propertyName(member.name);
    known.add(name);
    const inner = value[name];
    if (inner === undefined) {
      if (!member.questionToken) problems.push(`${at}.${name}: is missing`);
      continue;
    }
    problems.push(...problemsOf(member.type, inner, `${at}.${name}`, schemas));
    if (
      typeof inner === "number" &&
      /Format: uint/.test(commentOf(member)) &&
      (!Number.isInteger(inner) || inner < 0)
    ) {
      problems.push(`${at}.${name}: expected a whole number from 0, got ${inner}`);
    }
  }
  for (const [name, inner] of Object.entries(value)) {
    if (known.has(name)) continue;
    if (rest) problems.push(...problemsOf(rest, inner, `${at}.${name}`, schemas));
    else problems.push(`${at}.${name}: is unknown`);
  }
  return problems;
}

/**
 * The generator writes `X | (Record<string, unknown> | null)` for an X that may be null; taken literally, any object would do. `undefined`
 * cannot be sent.
 */
function alternativesOf(union: ts.UnionTypeNode): ts.TypeNode[] {
  const flat = union.types.flatMap((member): ts.TypeNode[] => {
    const inner = ts.isParenthesizedTypeNode(member) ? member.type : member;
    return ts.isUnionTypeNode(inner) ? alternativesOf(inner) : [inner];
  });
  const isRecordType = (type: ts.TypeNode) =>
    ts.isTypeReferenceNode(type) && type.typeName.getText() === "Record";
  const defined = flat.filter((type) => type.kind !== ts.SyntaxKind.UndefinedKeyword);
  const named = defined.filter((type) => !isRecordType(type));
  return named.some(
    (type) => !(ts.isLiteralTypeNode(type) && type.literal.kind === ts.SyntaxKind.NullKeyword),
  )
    ? named
    : defined;
}

function depthOf(problems: readonly string[]): number {
  return (
    Math.max(...problems.map((problem) => problem.split(":")[0]?.split(/[.[]/).length ?? 0)) -
    problems.length / 100
  );
}

function interfaceNamed(source: ts.SourceFile, name: string): ts.InterfaceDeclaration {
  const found = source.statements.find(
    (statement): statement is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  );
  if (!found) throw new Error(`the description has no ${name}`);
  return found;
}

function membersOf(
  type: ts.TypeNode | ts.InterfaceDeclaration | undefined,
): Map<string, ts.TypeNode> {
  const members = new Map<string, ts.TypeNode>();
  if (!type || !(ts.isInterfaceDeclaration(type) || ts.isTypeLiteralNode(type))) return members;
  for (const member of type.members)
    if (ts.isPropertySignature(member) && member.type)
      members.set(propertyName(member.name), member.type);
  return members;
}

function typeOfMember(type: ts.InterfaceDeclaration, name: string): ts.TypeNode | undefined {
  return membersOf(type).get(name);
}

function typeAt(type: ts.TypeNode, names: readonly string[]): ts.TypeNode | undefined {
  return names.reduce<ts.TypeNode | undefined>(
    (current, name) => membersOf(current).get(name),
    type,
  );
}

function propertyName(name: ts.PropertyName): string {
  return ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name)
    ? name.text
    : name.getText();
}

function literalText(type: ts.TypeNode): string | undefined {
  return ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal)
    ? type.literal.text
    : undefined;
}

function commentOf(node: ts.Node): string {
  const source = node.getSourceFile().text;
  return source.slice(node.getFullStart(), node.getStart());
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

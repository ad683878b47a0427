import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

type Declared = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration | ts.FunctionDeclaration;
type Member = ts.TypeElement | ts.ClassElement;

interface Exported {
  readonly name: string;
  readonly node: Declared | ts.VariableDeclaration;
}

const SOURCES = new Map<string, ts.SourceFile>();

/** The reference of an entry of the package: its exports with the TSDoc of their declarations, as Markdown. */
export function referenceOf(name: string, entry: string): string {
  const exported = exportsOf(entry);
  const api = new Set(exported.map((each) => each.name));
  const sections = [
    section('Functions and decorators', exported.filter(isCallable), api),
    section(
      'Classes',
      exported.filter(({ node }) => ts.isClassDeclaration(node)),
      api,
    ),
    section(
      'Types',
      exported.filter(({ node }) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)),
      api,
    ),
  ];
  return [`# Reference of \`${name}\``, ...sections.filter((text) => text !== '')].join('\n\n');
}

function isCallable({ node }: Exported): boolean {
  return ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node);
}

function section(title: string, exported: readonly Exported[], api: ReadonlySet<string>): string {
  if (exported.length === 0) return '';
  return [`## ${title}`, ...exported.map((each) => entryOf(each, api))].join('\n\n');
}

function entryOf({ name, node }: Exported, api: ReadonlySet<string>): string {
  const doc = docOf(ts.isVariableDeclaration(node) ? node.parent.parent : node);
  const members = membersOf(node, api);
  const lines = members.map((member) => `- ${code(textOf(member))}${said(docOf(member))}`);
  return [`### ${name}`, doc, headOf(node, lines.length > 0), lines.join('\n')]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** The declaration as code, without the body that the members or the implementation are. */
function headOf(node: Exported['node'], hasMembers: boolean): string {
  if (ts.isFunctionDeclaration(node)) return fence(signatureOf(node));
  if (ts.isTypeAliasDeclaration(node)) return fence(withoutComments(node).replace(/^export /, ''));
  if (ts.isVariableDeclaration(node) && !hasMembers) return fence(`const ${node.name.getText()}`);
  return '';
}

function signatureOf(node: ts.FunctionDeclaration): string {
  const end = node.body?.getStart() ?? node.end;
  return node
    .getSourceFile()
    .text.slice(node.getStart(), end)
    .replace(/^export /, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Public members: own ones, and those of bases that the entry does not export. */
function membersOf(node: Exported['node'], api: ReadonlySet<string>): readonly Member[] {
  if (ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node) || ts.isTypeAliasDeclaration(node)) return [];
  const own: readonly Member[] = node.members;
  const bases = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.map(({ expression }) => expression.getText()),
  );
  const hidden = bases
    .filter((name) => !api.has(name))
    .flatMap((name) => declarationsOf(node.getSourceFile().fileName, name));
  const inherited = hidden.flatMap((base) => (ts.isInterfaceDeclaration(base.node) ? membersOf(base.node, api) : []));
  return [...own.filter(isPublic), ...inherited];
}

function isPublic(member: Member): boolean {
  const hidden = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword];
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
  return !ts.isConstructorDeclaration(member) && !modifiers.some(({ kind }) => hidden.includes(kind));
}

/** A member as code on one line: without `readonly`, its comments and the body of a method. */
function textOf(member: Member): string {
  const body = ts.isMethodDeclaration(member) || ts.isGetAccessorDeclaration(member) ? member.body : undefined;
  const text = withoutComments(member, body?.getStart());
  return text.replace(/^(?:(?:readonly|override|abstract|declare) )+/, '').replace(/;$/, '');
}

function withoutComments(node: ts.Node, end = node.end): string {
  const text = node.getSourceFile().text.slice(node.getStart(), end);
  return text
    .replaceAll(/\/\*\*?.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The TSDoc of a node as one paragraph. */
function docOf(node: ts.Node): string {
  const parts = ts.getJSDocCommentsAndTags(node).flatMap((doc) => {
    const tags = ts.isJSDoc(doc) ? (doc.tags ?? []) : [];
    return [
      doc.comment,
      ...tags.map(({ tagName, comment }) => `${capital(tagName.text)} ${ts.getTextOfJSDocComment(comment) ?? ''}`),
    ];
  });
  const text = parts
    .map((part) => (typeof part === 'string' ? part : (ts.getTextOfJSDocComment(part) ?? '')))
    .join(' ');
  return text.replaceAll(/\s+/g, ' ').trim();
}

function exportsOf(entry: string): readonly Exported[] {
  return sourceAt(entry).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) return [];
    const { exportClause, moduleSpecifier } = statement;
    if (!ts.isNamedExports(exportClause) || moduleSpecifier === undefined) return [];
    const file = resolved(entry, moduleSpecifier);
    return exportClause.elements.flatMap(({ name }) => {
      const found = declarationsOf(file, name.text);
      if (found.length === 0) throw new Error(`${entry} exports "${name.text}", whose declaration is not found.`);
      return found;
    });
  });
}

/** The declarations of a name in a file, or in the file that it takes the name from. */
function declarationsOf(file: string, name: string): readonly Exported[] {
  return sourceAt(file).statements.flatMap((statement) => {
    if (isDeclared(statement)) return statement.name?.text === name ? [{ name, node: statement }] : [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations
        .filter((each) => each.name.getText() === name)
        .map((node) => ({ name, node }));
    }
    const from = sourceOfName(statement, name);
    return from === undefined ? [] : declarationsOf(resolved(file, from), name);
  });
}

function isDeclared(node: ts.Node): node is Declared {
  return (
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isFunctionDeclaration(node)
  );
}

/** The module of an import or export of this name. */
function sourceOfName(statement: ts.Statement, name: string): ts.Expression | undefined {
  const names = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : ts.isExportDeclaration(statement)
      ? statement.exportClause
      : undefined;
  if (names === undefined || !(ts.isNamedImports(names) || ts.isNamedExports(names))) return undefined;
  const isThere = names.elements.some((each) => each.name.text === name);
  return isThere ? (statement as ts.ImportDeclaration | ts.ExportDeclaration).moduleSpecifier : undefined;
}

function resolved(file: string, specifier: ts.Expression): string {
  const name = specifier.getText().slice(1, -1).replace(/\.js$/, '.ts');
  const [, ownPackage, path = ''] = /^@parley\/([a-z]+)\/(.+)$/.exec(name) ?? [];
  return ownPackage === undefined ? join(dirname(file), name) : join('packages', ownPackage, 'src', path);
}

function sourceAt(file: string): ts.SourceFile {
  const known = SOURCES.get(file);
  if (known !== undefined) return known;
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  SOURCES.set(file, source);
  return source;
}

const code = (text: string): string => `\`${text}\``;
const said = (doc: string): string => (doc === '' ? '' : `: ${doc}`);
const fence = (text: string): string => `\`\`\`ts\n${text}\n\`\`\``;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

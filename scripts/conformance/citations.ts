import ts from 'typescript';

/** A line of a test that names a requirement. */
export interface Citation {
  readonly id: string;
  /** `path › suite › test`, or only the path where the id is in no test. */
  readonly place: string;
}

interface Mention {
  readonly id: string;
  readonly at: number;
}

const ID = /(?<![\w-])((?:A2A-[A-Z]+|MCP-[A-Z]+|[A-Z]+|[A-Z]\d\d)-)(\d\d?|FINAL)\b((?:(?:, | … )(?:\1)?-?\d\d?\b)*)/g;
const TEST_FUNCTIONS = new Set(['describe', 'it', 'test']);

/** Ids as tests write them: `A2A-SEND-01`, and after one of them `, -02` or `… -05` for others of its family. */
export function mentionsIn(text: string): readonly Mention[] {
  return [...text.matchAll(ID)].flatMap(({ index, 1: family = '', 2: first = '', 3: others = '' }) => {
    const numbers = [first];
    for (const [, joint, number = ''] of others.matchAll(/(, | … )(?:[A-Z0-9]+-)*-?(\d+)/g)) {
      const from = joint === ' … ' ? Number(numbers.at(-1)) + 1 : Number(number);
      for (let at = from; at <= Number(number); at += 1) numbers.push(String(at).padStart(number.length, '0'));
    }
    return numbers.map((number) => ({ id: family + number, at: index }));
  });
}

/** The citations of a test file: an id counts for the test whose name, table, body or comment has it. */
export function citationsInSpec(path: string, text: string): readonly Citation[] {
  const mentions = mentionsIn(text);
  if (mentions.length === 0) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return mentions.map(({ id, at }) => ({ id, place: [path, ...namesAt(source, at)].join(' › ') }));
}

/** The citations of a golden file: each of its texts that has an id is the name of a case. */
export function citationsInGolden(path: string, text: string): readonly Citation[] {
  const found: Citation[] = [];
  JSON.parse(text, (_key, value: unknown) => {
    if (typeof value === 'string') {
      found.push(...mentionsIn(value).map(({ id }) => ({ id, place: `${path} › ${withoutIds(value)}` })));
    }
    return value;
  });
  return found;
}

/** The names of the suites and the test around a position, and of the row when it is in one of a table. */
function namesAt(node: ts.Node, position: number): readonly string[] {
  const inner = ts.forEachChild(node, (child) =>
    child.pos <= position && position < child.end ? namesAt(child, position) : undefined,
  );
  if (ts.isCallExpression(node) && isTest(node)) return [nameOf(node), ...(inner ?? [])];
  if (ts.isStringLiteralLike(node) && !isName(node)) return [withoutIds(node.text)];
  return inner ?? [];
}

function isTest({ expression, arguments: [name, body] }: ts.CallExpression): boolean {
  let callee: ts.Node = expression;
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
  return name !== undefined && body !== undefined && ts.isIdentifier(callee) && TEST_FUNCTIONS.has(callee.text);
}

function isName(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && isTest(node.parent) && node.parent.arguments[0] === node;
}

function nameOf({ arguments: [name] }: ts.CallExpression): string {
  if (name === undefined) return '';
  if (ts.isStringLiteralLike(name)) return withoutIds(name.text);
  return withoutIds(name.getText().replace(/\$\{(.*?)(?:\.name)?\}|^`|`$|\.name$/g, '$1'));
}

/** A name without the ids in brackets at its end or before its colon: the row says which they are. */
function withoutIds(name: string): string {
  const ids = String.raw`[A-Z0-9]+-[A-Z0-9-]+(?:(?:, | … )[A-Z0-9-]+)*`;
  return name.replace(new RegExp(String.raw`\s*\(${ids}\)$|^${ids}: `, 'g'), '').replace(/\s+/g, ' ');
}

/** The expected next token of a JSON text, as worded in the message. */
type Expected =
  | 'a value'
  | 'a value or "]"'
  | 'a member name'
  | 'a member name or "}"'
  | '":"'
  | '"," or the closing bracket'
  | 'the end of the text'
  | 'the rest of a string';

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** Pieces of a string; bounded, since a matcher that takes megabytes in one go may run out of stack. */
const PIECE = /[^"\\\p{Cc}]{1,1000}|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/uy;

/**
 * The position of the first JSON error: `unexpected "}" at line 1, column 6: a value is expected`. V8's messages have no
 * position for half of the errors, and quote the text.
 */
export function describeJsonFault(text: string): string {
  const { at, expected } = new FaultFinder(text).find();
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const found = at < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0)) : 'end';
  return `unexpected ${found} at line ${String(line)}, column ${String(column)}: ${expected} is expected`;
}

/** Reads a text as a parser does, and stops where one does. */
class FaultFinder {
  private at = 0;
  private expected: Expected = 'a value';
  private readonly closers: ('}' | ']')[] = [];

  constructor(private readonly text: string) {}

  find(): { readonly at: number; readonly expected: Expected } {
    do this.skip(SPACE);
    while (this.at < this.text.length && this.step());
    return { at: this.at, expected: this.expected };
  }

  /** Reads one token; false if no valid token follows. */
  private step(): boolean {
    const character = this.text[this.at];
    if (character === this.closers.at(-1) && this.mayClose()) return this.close();
    if (this.expected === '":"') return character === ':' && this.pass('a value');
    if (this.expected === '"," or the closing bracket') return character === ',' && this.pass(this.nextMember());
    if (this.expected === 'the end of the text') return false;
    if (this.expected.startsWith('a member name')) return character === '"' && this.string('":"');
    if (character === '"') return this.string(this.afterValue());
    if (character === '{') return this.open('}', 'a member name or "}"');
    if (character === '[') return this.open(']', 'a value or "]"');
    return this.skip(SCALAR) && this.expect(this.afterValue());
  }

  private mayClose(): boolean {
    return this.expected.endsWith('}"') || this.expected.endsWith(']"') || this.expected.endsWith('bracket');
  }

  private close(): boolean {
    this.closers.pop();
    return this.pass(this.afterValue());
  }

  private open(closer: '}' | ']', expected: Expected): boolean {
    this.closers.push(closer);
    return this.pass(expected);
  }

  private string(after: Expected): boolean {
    this.pass('the rest of a string');
    while (this.skip(PIECE));
    return this.text[this.at] === '"' && this.pass(after);
  }

  private nextMember(): Expected {
    return this.closers.at(-1) === '}' ? 'a member name' : 'a value';
  }

  private afterValue(): Expected {
    return this.closers.length === 0 ? 'the end of the text' : '"," or the closing bracket';
  }

  private pass(expected: Expected): true {
    this.at += 1;
    return this.expect(expected);
  }

  private expect(expected: Expected): true {
    this.expected = expected;
    return true;
  }

  /** Skips text that matches a sticky pattern here; returns whether any did. */
  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const [match = ''] = pattern.exec(this.text) ?? [];
    this.at += match.length;
    return match !== '';
  }
}

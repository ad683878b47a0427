/** A subset of Markdown as data: it becomes elements, never HTML. Everything else stays text. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: readonly Inline[] }
  | { readonly kind: 'paragraph' | 'quote'; readonly text: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly isNumbered: boolean; readonly items: readonly (readonly Inline[])[] }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: 'line' };

export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly of: readonly Inline[] }
  /** Its text, and where it leads: `http`, `https` and `mailto` only. */
  | { readonly kind: 'link'; readonly text: string; readonly href: string; readonly host: string };

/** Reads a text in one pass: its time grows with its length and not faster. */
export function blocksOf(text: string): readonly Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at += 1;
      continue;
    }
    const [block, next] =
      codeAt(lines, at) ?? tableAt(lines, at) ?? listAt(lines, at) ?? oneLine(line, at) ?? textAt(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

type Found = readonly [block: Block, next: number];

function codeAt(lines: readonly string[], at: number): Found | undefined {
  if (!/^ {0,3}```/.test(lines[at] ?? '')) return undefined;
  let end = at + 1;
  while (end < lines.length && !/^ {0,3}```\s*$/.test(lines[end] ?? '')) end += 1;
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1];
}

const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

function tableAt(lines: readonly string[], at: number): Found | undefined {
  const [head = '', divider = ''] = [lines[at], lines[at + 1]];
  if (!head.includes('|') || divider.length > 1_000 || !divider.includes('|') || !DIVIDER.test(divider))
    return undefined;
  let end = at + 2;
  while ((lines[end] ?? '').includes('|')) end += 1;
  return [{ kind: 'table', head: cellsOf(head), rows: lines.slice(at + 2, end).map(cellsOf) }, end];
}

function cellsOf(line: string): readonly (readonly Inline[])[] {
  const cells = line.trim().split('|');
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells.map((cell) => inlinesOf(cell.trim()));
}

const ITEM = /^\s{0,12}(?:([-*+])|\d{1,9}[.)])\s+(.*)$/;

function listAt(lines: readonly string[], at: number): Found | undefined {
  const first = ITEM.exec(lines[at] ?? '');
  if (first === null || isRule(lines[at] ?? '')) return undefined;
  const items: string[] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? '';
    const [, , words] = ITEM.exec(line) ?? [];
    if (words !== undefined) items.push(words);
    else if (/^\s+\S/.test(line)) items.push(`${items.pop() ?? ''}\n${line.trim()}`);
    else break;
  }
  return [{ kind: 'list', isNumbered: first[1] === undefined, items: items.map(inlinesOf) }, end];
}

function oneLine(line: string, at: number): Found | undefined {
  if (isRule(line)) return [{ kind: 'line' }, at + 1];
  const [, marks = '', words = ''] = /^ {0,3}(#{1,6})\s+(.*)$/.exec(line) ?? [];
  return marks === '' ? undefined : [{ kind: 'heading', level: marks.length, text: inlinesOf(words) }, at + 1];
}

function isRule(line: string): boolean {
  return /^ {0,3}(-{3,}|\*{3,}|_{3,})\s*$/.test(line);
}

/** A quote or a paragraph: lines up to an empty one, or to one that begins something else. */
function textAt(lines: readonly string[], at: number): Found {
  const isQuote = (line: string): boolean => /^ {0,3}>/.test(line);
  const quotes = isQuote(lines[at] ?? '');
  let end = at + 1;
  while (end < lines.length && goesOn(lines, end) && isQuote(lines[end] ?? '') === quotes) end += 1;
  const said = lines.slice(at, end).map((line) => (quotes ? line.replace(/^ {0,3}> ?/, '') : line));
  return [{ kind: quotes ? 'quote' : 'paragraph', text: inlinesOf(said.join('\n')) }, end];
}

function goesOn(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  return line.trim() !== '' && !/^ {0,3}```/.test(line) && oneLine(line, at) === undefined && !ITEM.test(line);
}

/** Characters of a link with its text: longer ones stay text. */
const MAX_LINK = 4_096;
const MARKS = ['`', '**', '__', '*', '_', '['] as const;

function inlinesOf(text: string): readonly Inline[] {
  return new InlineReader(text).read();
}

class InlineReader {
  private readonly found: Inline[] = [];
  private plain = '';
  private at = 0;
  /** Next position of each mark; -1: none. Each is searched once, so that unclosed marks cost nothing. */
  private readonly next = new Map<string, number>();

  constructor(private readonly text: string) {}

  read(): readonly Inline[] {
    while (this.at < this.text.length) {
      const mark = MARKS.find((one) => this.text.startsWith(one, this.at));
      if (mark !== undefined && this.take(mark)) continue;
      const length = mark?.length ?? 1;
      this.plain += this.text.slice(this.at, this.at + length);
      this.at += length;
    }
    this.flush();
    return this.found;
  }

  private take(mark: (typeof MARKS)[number]): boolean {
    if (mark === '[') return this.takeLink();
    // An underscore within a word is one of a name.
    if (mark.startsWith('_') && /\w/.test(this.text[this.at - 1] ?? ' ')) return false;
    const from = this.at + mark.length;
    const end = this.endOf(mark, from);
    if (end === -1 || end === from || (mark !== '`' && /\s/.test(this.text[from] ?? ' '))) return false;
    const inner = this.text.slice(from, end);
    if (mark === '`') this.push({ kind: 'code', text: inner }, end + 1);
    else this.push({ kind: mark.length === 2 ? 'strong' : 'emphasis', of: plainOf(inner) }, end + mark.length);
    return true;
  }

  private takeLink(): boolean {
    const middle = this.endOf('](', this.at + 1);
    const end = middle === -1 ? -1 : this.endOf(')', middle + 2);
    if (end === -1 || end - this.at > MAX_LINK) return false;
    const [text, address] = [this.text.slice(this.at + 1, middle), this.text.slice(middle + 2, end).trim()];
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (text.includes('\n') || url === undefined || !/^(https?|mailto):$/.test(url.protocol)) return false;
    const host = url.protocol === 'mailto:' ? url.pathname : url.host;
    this.push({ kind: 'link', text, href: url.href, host }, end + 1);
    return true;
  }

  private endOf(mark: string, from: number): number {
    const known = this.next.get(mark);
    if (known !== undefined && (known === -1 || known >= from)) return known;
    const end = this.text.indexOf(mark, from);
    this.next.set(mark, end);
    return end;
  }

  private push(inline: Inline, next: number): void {
    this.flush();
    this.found.push(inline);
    this.at = next;
  }

  private flush(): void {
    if (this.plain !== '') this.found.push({ kind: 'text', text: this.plain });
    this.plain = '';
  }
}

/** Nested in emphasis: code, and text. */
function plainOf(text: string): readonly Inline[] {
  return text.split('`').flatMap((piece, at, all): readonly Inline[] => {
    if (piece === '') return [];
    return [{ kind: at % 2 === 1 && at < all.length - 1 ? 'code' : 'text', text: piece }];
  });
}

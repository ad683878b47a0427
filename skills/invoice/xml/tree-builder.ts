import { UnreadableDocument } from '../document/unreadable-document.js';
import type { XmlElement } from './xml-element.js';

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
  readonly counts: Map<string, number>;
}

/** Their content is a file in base64 that no reader needs; keeping it would cost its size again. */
const BINARY = ['EmbeddedDocumentBinaryObject', 'AttachmentBinaryObject', 'BinaryObject'];

/** Makes a tree of a parser's events, within limits. */
export class TreeBuilder {
  private readonly stack: OpenElement[] = [];
  private finished: XmlElement | undefined;
  private elements = 0;

  constructor(private readonly limits: { readonly maxElements: number; readonly maxDepth: number }) {}

  open(name: string, namespace: string, attributes: readonly (readonly [string, string])[]): void {
    this.elements += 1;
    if (this.elements > this.limits.maxElements) throw new UnreadableDocument('The XML has too many elements.');
    if (this.stack.length >= this.limits.maxDepth) throw new UnreadableDocument('The XML is nested too deeply.');
    const parent = this.stack.at(-1);
    const path = `${parent?.path ?? ''}/${name}${position(parent, name)}`;
    const element: OpenElement = {
      name,
      namespace,
      attributes: Object.fromEntries(attributes),
      children: [],
      text: '',
      path,
      counts: new Map(),
    };
    parent?.children.push(element);
    this.stack.push(element);
  }

  text(piece: string): void {
    const element = this.stack.at(-1);
    if (element !== undefined && !BINARY.includes(element.name)) element.text += piece;
  }

  close(): void {
    const element = this.stack.pop();
    if (element === undefined) return;
    element.text = element.text.trim();
    if (this.stack.length === 0) this.finished = element;
  }

  /** The document's element, once all is closed. */
  root(): XmlElement {
    if (this.finished === undefined) throw new UnreadableDocument('The XML holds no element.');
    return this.finished;
  }
}

/** `[2]` for the second child of that name; nothing for the first. */
function position(parent: OpenElement | undefined, name: string): string {
  if (parent === undefined) return '';
  const count = (parent.counts.get(name) ?? 0) + 1;
  parent.counts.set(name, count);
  return count === 1 ? '' : `[${String(count)}]`;
}

import { UnreadableDocument } from '../document/unreadable-document.js';
import type { SaxesParser } from 'saxes';
import { TreeBuilder } from './tree-builder.js';
import type { XmlElement } from './xml-element.js';
import { xmlText } from './xml-text.js';

export interface XmlLimits {
  readonly maxBytes: number;
  readonly maxElements: number;
  readonly maxDepth: number;
}

/** Far above any invoice in use; a document beyond them is an attack or a mistake. */
export const XML_LIMITS: XmlLimits = { maxBytes: 20 * 1024 * 1024, maxElements: 200_000, maxDepth: 64 };

/**
 * Parses XML to a tree. A DOCTYPE is refused whatever is in it, so there are no entities to expand and nothing to
 * fetch; the parser itself knows only the five entities of XML. Throws `UnreadableDocument`.
 */
export async function parseXml(bytes: Uint8Array, limits = XML_LIMITS): Promise<XmlElement> {
  if (bytes.length > limits.maxBytes) {
    throw new UnreadableDocument(`The XML is larger than ${String(limits.maxBytes)} bytes.`);
  }
  const text = xmlText(bytes)
    .replace(/^\uFEFF/, '')
    .trimStart();
  const builder = new TreeBuilder(limits);
  const parser = await parserInto(builder);
  parser.write(text).close();
  return builder.root();
}

async function parserInto(builder: TreeBuilder): Promise<SaxesParser<{ xmlns: true }>> {
  const { SaxesParser: Parser } = await import('saxes');
  const parser = new Parser({ xmlns: true as const });
  parser.on('doctype', () => {
    throw new UnreadableDocument(
      'The XML has a DOCTYPE. Document types and entities are not accepted; send it without.',
    );
  });
  parser.on('error', (error) => {
    throw new UnreadableDocument(`The XML is not well-formed: ${error.message}`);
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    builder.open(
      local,
      uri,
      Object.values(attributes).map(({ local: name, value }) => [name, value]),
    );
  });
  parser.on('text', (piece) => {
    builder.text(piece);
  });
  parser.on('cdata', (piece) => {
    builder.text(piece);
  });
  parser.on('closetag', () => {
    builder.close();
  });
  return parser;
}

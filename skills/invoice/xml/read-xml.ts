import { UnreadableDocument } from '../document/unreadable-document.js';
import type { Invoice } from '../invoice.js';
import { parseXml } from './parse-xml.js';
import { CII_ROOTS, readCii } from './read-cii.js';
import { UBL_ROOTS, readUbl } from './read-ubl.js';
import type { XmlElement } from './xml-element.js';

/** Reads an electronic invoice from XML: UBL or CII. Throws `UnreadableDocument` when it is neither. */
export async function readXml(bytes: Uint8Array): Promise<Invoice> {
  const root = await parseXml(bytes);
  if (CII_ROOTS.includes(root.name)) return readCii(root);
  if (isUbl(root)) return readUbl(root);
  throw new UnreadableDocument(`The XML is a <${root.name.slice(0, 80)}>, not a UBL or CII invoice.`);
}

/** `Invoice` is a name that many vocabularies use, so UBL is known by its namespace too. */
function isUbl(root: XmlElement): boolean {
  return UBL_ROOTS.includes(root.name) && root.namespace.startsWith('urn:oasis:names:specification:ubl:schema:xsd:');
}

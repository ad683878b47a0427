/** An element of a parsed document. Names are local names: the prefix is the author's choice and says nothing. */
export interface XmlElement {
  readonly name: string;
  /** URI of its namespace; empty when it has none. */
  readonly namespace: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, trimmed. */
  readonly text: string;
  /** Its path: `/Invoice/InvoiceLine[2]/ID`. */
  readonly path: string;
}

/** All elements at a path of child names; `A|B` in a step means either: `Party/PartyName/Name`. */
export function elementsAt(from: XmlElement | undefined, path: string): readonly XmlElement[] {
  let found: readonly XmlElement[] = from === undefined ? [] : [from];
  for (const step of path.split('/')) {
    const names = step.split('|');
    found = found.flatMap((element) => element.children.filter((child) => names.includes(child.name)));
  }
  return found;
}

/** The first element at the path that has text or children. */
export function elementAt(from: XmlElement | undefined, path: string): XmlElement | undefined {
  return elementsAt(from, path).find((element) => element.text !== '' || element.children.length > 0);
}

/** The text of the first non-empty element at the path. */
export function textAt(from: XmlElement | undefined, path: string): string | undefined {
  return elementsAt(from, path).find((element) => element.text !== '')?.text;
}

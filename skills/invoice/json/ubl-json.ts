import type { XmlElement } from '../xml/xml-element.js';
import { UBL_ROOTS } from '../xml/read-ubl.js';
import { isObject } from './json-node.js';

/**
 * A UBL document written in JSON as the tree that its XML would be: the OASIS UBL 2.x JSON alternative
 * (`{"Invoice":[{"ID":[{"_":"1"}]}]}`) and the prefixed form of e-invoice-eu (`{"ubl:Invoice":{"cbc:ID":"1"}}`).
 */
export function ublTreeOf(value: unknown): XmlElement | undefined {
  if (!isObject(value)) return undefined;
  for (const [key, content] of Object.entries(value)) {
    const name = localName(key);
    const [body] = Array.isArray(content) ? (content as readonly unknown[]) : [content];
    const isUbl = UBL_ROOTS.includes(name) && isObject(body) && (Array.isArray(body.ID) || 'cbc:ID' in body);
    if (isUbl) return elementOf(name, body, `/${key}`);
  }
  return undefined;
}

function elementOf(name: string, value: unknown, path: string): XmlElement {
  const base = { name, namespace: '', path };
  if (!isObject(value)) return { ...base, attributes: {}, children: [], text: scalar(value) };
  const attributes: Record<string, string> = {};
  const children: XmlElement[] = [];
  const beside = attributesBeside(value);
  for (const [key, content] of Object.entries(value)) {
    if (key === '_' || key.includes('@') || !startsUpper(key)) continue;
    const local = localName(key);
    const of = beside.get(key) ?? {};
    for (const [at, each] of (Array.isArray(content) ? (content as readonly unknown[]) : [content]).entries()) {
      const child = elementOf(local, each, `${path}/${key}${at === 0 ? '' : `/${String(at)}`}`);
      children.push({ ...child, attributes: { ...of, ...child.attributes } });
    }
  }
  for (const [key, content] of Object.entries(value)) {
    if (key !== '_' && !startsUpper(key) && !key.includes('@')) attributes[key] = scalar(content);
  }
  return { ...base, attributes, children, text: scalar(value._) };
}

/** `cbc:Amount@currencyID` is an attribute of `cbc:Amount`. Gives the attributes by element. */
function attributesBeside(value: Readonly<Record<string, unknown>>): ReadonlyMap<string, Record<string, string>> {
  const attributes = new Map<string, Record<string, string>>();
  for (const [key, content] of Object.entries(value)) {
    const at = key.indexOf('@');
    if (at < 0) continue;
    const element = key.slice(0, at);
    attributes.set(element, { ...attributes.get(element), [key.slice(at + 1)]: scalar(content) });
  }
  return attributes;
}

/** Elements begin with a capital, with or without a prefix; attributes do not. */
function startsUpper(key: string): boolean {
  return /^(?:[a-z]+:)?[A-Z]/u.test(key);
}

function localName(key: string): string {
  return key.slice(key.indexOf(':') + 1);
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

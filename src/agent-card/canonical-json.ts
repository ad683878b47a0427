/**
 * The canonical text of a JSON value (JCS, RFC 8785): members sorted by their UTF-16 code units, no white space. Numbers
 * and strings are written as ECMAScript writes them, which is what the RFC asks. Undefined members are left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const texts = members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${texts.join(',')}}`;
}

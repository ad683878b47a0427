/** Characters that people do not see and models read: controls, marks of direction, zero-width characters, tags; not line ends and tabs. */
const HIDDEN = /[^\P{C}\n\r\t]/u;

/** Whether a text, or a member's name or text within a value, has characters that people cannot see. */
export function hidesText(value: unknown): boolean {
  if (typeof value === 'string') return HIDDEN.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => HIDDEN.test(name) || hidesText(inner));
}

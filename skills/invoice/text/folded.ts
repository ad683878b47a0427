/**
 * Folds text for comparison with labels: lower case, no accents, plain spaces and apostrophes. Each character stays one
 * character, so a position in the folded text is a position in the text itself.
 */
export function folded(text: string): string {
  // Most text is plain, and this is the one thing that is done to all of it.
  if (/^[ -~]*$/u.test(text)) return text.replace(/`/gu, "'").toLowerCase();
  return Array.from(text, foldedCharacter).join('');
}

function foldedCharacter(character: string): string {
  if (/\s/u.test(character)) return ' '.repeat(character.length);
  if (/[’‘`´]/u.test(character)) return "'";
  if (/[‐‑–—−]/u.test(character)) return '-';
  if (character === 'ß') return 's';
  const plain = character.normalize('NFD').charAt(0).toLowerCase();
  return plain.length === character.length ? plain : character;
}

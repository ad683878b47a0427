/** VAT identifiers by country, without spaces and points (as the EU's VIES and the national registers write them). */
const VAT_IDS =
  /^(?:ATU\d{8}|BE[01]\d{9}|BG\d{9,10}|CHE\d{9}|CY\d{8}[A-Z]|CZ\d{8,10}|DE\d{9}|DK\d{8}|EE\d{9}|(?:EL|GR)\d{9}|ES[A-Z0-9]\d{7}[A-Z0-9]|FI\d{8}|FR[A-Z0-9]{2}\d{9}|(?:GB|XI)(?:\d{12}|\d{9})|HR\d{11}|HU\d{8}|IE\d[A-Z0-9+*]\d{5}[A-Z]{1,2}|IT\d{11}|LT(?:\d{12}|\d{9})|LU\d{8}|LV\d{11}|MT\d{8}|NL\d{9}B\d{2}|NO\d{9}|PL\d{10}|PT\d{9}|RO\d{2,10}|SE\d{12}|SI\d{8}|SK\d{10})(?!\d)/u;

/** The VAT identifier in a text, however it is spaced: `FR 12 345 678 901`. */
export function vatIdIn(text: string): string | undefined {
  const upper = text.toUpperCase();
  for (const start of upper.matchAll(/(?<![A-Z])(?:[A-Z]{2}|ATU|CHE)(?=[\s.-]?[A-Z0-9])/gu)) {
    const id = VAT_IDS.exec(upper.slice(start.index, start.index + 24).replace(/[\s.-]/gu, ''));
    if (id !== null) return id[0];
  }
  return undefined;
}

/** The first IBAN in a text, without spaces, when its check digits are right (ISO 13616, modulo 97). */
export function ibanIn(text: string): string | undefined {
  for (const { 0: match } of text.toUpperCase().matchAll(/(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/gu)) {
    const letters = match.replace(/ /gu, '');
    for (let length = letters.length; length >= 15; length -= 1) {
      const iban = letters.slice(0, length);
      if (isIban(iban)) return iban;
    }
  }
  return undefined;
}

export function bicIn(text: string): string | undefined {
  return /\b(?:BIC|SWIFT)\b[\s:./-]*(?:SWIFT|BIC|CODE)?[\s:./-]*([A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)\b/u.exec(
    text.toUpperCase(),
  )?.[1];
}

export function emailIn(text: string): string | undefined {
  return /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/u.exec(text)?.[0];
}

/** Whether the check digits are right; the text has no spaces and is upper case. */
export function isIban(iban: string): boolean {
  const digits = Array.from(`${iban.slice(4)}${iban.slice(0, 4)}`, (character) => String(parseInt(character, 36))).join(
    '',
  );
  return BigInt(digits) % 97n === 1n;
}

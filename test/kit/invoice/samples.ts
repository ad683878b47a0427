import { readFileSync } from 'node:fs';
import { GENERATED_EXPECTED, GENERATED_FORMATS, SOURCE, generated } from './e-invoice-eu.js';
import { PLAIN_INVOICES } from './plain-invoices.js';
import type { Expected } from './plain-invoices.js';
import { writePdf } from './pdf-writer.js';

/** A file and what a reader should find in it. */
export interface Sample {
  readonly name: string;
  readonly about: string;
  readonly kind: 'electronic' | 'plain';
  readonly load: () => Promise<Uint8Array>;
  readonly expected: Expected;
}

const FIXTURES = new URL('../../fixtures/invoices/', import.meta.url);

/** Facts of the fixtures, taken from them with another program (Python's ElementTree), by hand for the PDF. */
const FACTS = JSON.parse(readFileSync(new URL('./fixture-facts.json', import.meta.url), 'utf8')) as Record<
  string,
  Expected
>;

/** The bytes of a file in `test/fixtures/invoices`. */
export function fixture(name: string): Promise<Uint8Array> {
  return Promise.resolve(new Uint8Array(readFileSync(new URL(name, FIXTURES))));
}

const shipped: readonly Sample[] = Object.entries(FACTS).map(([name, expected]) => ({
  name,
  about: name.endsWith('.pdf') ? 'PDF with XML' : 'XML',
  kind: 'electronic',
  load: () => fixture(name),
  expected,
}));

const written: readonly Sample[] = GENERATED_FORMATS.map((format) => ({
  name: `e-invoice-eu ${format}`,
  about: format.startsWith('Factur-X') ? 'PDF with XML' : 'XML',
  kind: 'electronic',
  load: () => generated(format),
  expected: expectedOf(format),
}));

const inJson: Sample = {
  name: 'e-invoice-eu internal format',
  about: 'UBL in JSON',
  kind: 'electronic',
  load: () => Promise.resolve(new TextEncoder().encode(JSON.stringify(SOURCE))),
  expected: GENERATED_EXPECTED,
};

const printed: readonly Sample[] = PLAIN_INVOICES.map(({ name, layout, pages, expected }) => ({
  name,
  about: layout,
  kind: 'plain',
  load: () => writePdf(pages),
  expected,
}));

export const SAMPLES: readonly Sample[] = [...shipped, ...written, inJson, ...printed];

/** The two small profiles leave out the lines, and MINIMUM all but the totals. */
function expectedOf(format: string): Expected {
  if (format === 'Factur-X-BasicWL') return { ...GENERATED_EXPECTED, lines: 0 };
  if (format !== 'Factur-X-Minimum') return GENERATED_EXPECTED;
  const { dueDate: _, ...kept } = GENERATED_EXPECTED;
  return { ...kept, lines: 0 };
}

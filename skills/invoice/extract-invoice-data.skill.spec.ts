import { describe, expect, it, jest } from '@jest/globals';
import { scannedPdf } from '../../test/kit/invoice/hostile-pdfs.js';
import { PLAIN_INVOICES } from '../../test/kit/invoice/plain-invoices.js';
import { writePdf } from '../../test/kit/invoice/pdf-writer.js';
import { fixture } from '../../test/kit/invoice/samples.js';
import type { SkillEvent } from '@parley/sdk';
import { runSkill } from '@parley/sdk/testing';
import { ExtractInvoiceDataSkill } from './extract-invoice-data.skill.js';

// Programs that write PDFs load slowly, and threads start slowly, on a machine that has other work.
jest.setTimeout(60_000);

async function raw(bytes: Promise<Uint8Array>, filename: string) {
  return { raw: Buffer.from(await bytes).toString('base64'), filename };
}

/** `working: Reading the invoice`, `artifact: invoice`. */
function told(events: readonly SkillEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.kind === 'artifact') return `artifact: ${event.artifactId}`;
    const [part] = event.parts;
    const text = part !== undefined && 'text' in part ? part.text : '';
    return `${event.state.replace('TASK_STATE_', '').toLowerCase()}: ${text}`;
  });
}

function plainPdf(name: string): Promise<Uint8Array> {
  return writePdf(PLAIN_INVOICES.find((invoice) => invoice.name === name)?.pages ?? []);
}

describe(ExtractInvoiceDataSkill.name, () => {
  it('reads a printed invoice page by page and gives data and a summary', async () => {
    const events = await runSkill(ExtractInvoiceDataSkill, {
      parts: [await raw(plainPdf('de-two-pages-two-rates'), 'r.pdf')],
    });
    expect(told(events)).toEqual([
      'working: Reading the invoice',
      'working: Read page 1 of 2',
      'working: Read page 2 of 2',
      'artifact: invoice',
      'artifact: invoice-summary',
      'completed: Invoice 20260317 of Frischdienst Nord KG: 2600.56 EUR',
    ]);
    expect(events[3]).toMatchObject({
      parts: [
        {
          mediaType: 'application/json',
          data: {
            format: 'pdf-text',
            totals: { payable: { value: '2600.56', source: 'page 2, "Rechnungsbetrag"', confidence: 0.97 } },
          },
        },
      ],
    });
  });

  it('reads Factur-X from its XML and never reads the pages', async () => {
    const pdf = await raw(fixture('factur-x/invoice_EN16931.pdf'), 'invoice.pdf');
    const events = await runSkill(ExtractInvoiceDataSkill, { parts: [pdf], acceptedOutputModes: ['application/json'] });
    expect(told(events)).toEqual([
      'working: Reading the invoice',
      'artifact: invoice',
      'completed: Invoice F20260023 of LE FOURNISSEUR: 104.90 EUR',
    ]);
    expect(events[1]).toMatchObject({ parts: [{ data: { format: 'factur-x', number: { confidence: 1 } } }] });
  });

  it('reads JSON of a data part', async () => {
    const events = await runSkill(ExtractInvoiceDataSkill, {
      data: [{ invoiceNumber: '7', vendor: 'Acme', total: 5, currency: 'USD' }],
      acceptedOutputModes: ['text/markdown'],
    });
    expect(told(events)).toEqual([
      'working: Reading the invoice',
      'artifact: invoice-summary',
      'completed: Invoice 7 of Acme: 5 USD',
    ]);
  });

  it('says honestly that it cannot read a scan', async () => {
    const events = await runSkill(ExtractInvoiceDataSkill, { parts: [await raw(scannedPdf(), 'scan.pdf')] });
    expect(told(events).at(-1)).toMatch(/^rejected: The PDF has no text that can be read: its pages are pictures/u);
  });

  it.each([
    [
      'an encrypted PDF',
      () => writePdf([[{ text: 'x', x: 1, y: 1 }]], { password: 'p' }),
      'opens only with a password',
    ],
    ['a broken PDF', () => Promise.resolve(Buffer.from('%PDF-1.4 nothing')), 'is damaged'],
    ['an XML bomb', () => Promise.resolve(Buffer.from('<!DOCTYPE r [<!ENTITY a "a">]><r>&a;</r>')), 'DOCTYPE'],
    [
      'a letter',
      () => writePdf([[{ text: 'Dear Sir or Madam, we hope to see you soon.', x: 50, y: 50 }]]),
      'neither an invoice number',
    ],
    [
      'a PDF whose embedded invoice is broken',
      () =>
        writePdf([[{ text: 'Invoice No: 1', x: 50, y: 50 }]], {
          attachments: [{ name: 'factur-x.xml', bytes: Buffer.from('<r>') }],
        }),
      'The invoice inside of the PDF cannot be read',
    ],
  ])('rejects %s with the reason', async (_, bytes, why) => {
    const events = await runSkill(ExtractInvoiceDataSkill, { parts: [await raw(bytes(), 'f.pdf')] });
    const last = told(events).at(-1);
    expect(last).toMatch(/^rejected: /u);
    expect(last).toContain(why);
    expect(events.some(({ kind }) => kind === 'artifact')).toBe(false);
  });

  it('reads an invoice in plain text, with its columns (F11: text/plain is a true input mode)', async () => {
    const text = [
      'Acme Ltd                     Invoice No: A-1',
      'London SW1A 1AA              Date: 5 March 2026',
      '',
      'Description      Qty    Unit price    Amount',
      'Chair              2         50.00    100.00',
      '',
      'Net total                             100.00',
      'VAT 20 %                               20.00',
      'Total                          GBP    120.00',
    ].join('\n');
    const events = await runSkill(ExtractInvoiceDataSkill, text);
    const [part] = events.find(({ kind }) => kind === 'artifact')?.parts ?? [];
    expect(part).toMatchObject({
      data: {
        format: 'text',
        number: { value: 'A-1' },
        issueDate: { value: '2026-03-05' },
        lines: [{ name: 'Chair', quantity: '2', netAmount: '100.00' }],
        totals: { taxExclusive: { value: '100.00' }, tax: { value: '20.00' }, taxInclusive: { value: '120.00' } },
      },
    });
  });

  it('rejects an invoice of more lines than can be checked', async () => {
    const lines = '<InvoiceLine><ID>1</ID></InvoiceLine>'.repeat(10_001);
    const xml = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><ID>1</ID>${lines}</Invoice>`;
    const events = await runSkill(ExtractInvoiceDataSkill, xml);
    expect(told(events).at(-1)).toMatch(/^rejected: The invoice is too large: at most 2000 lines/u);
  });

  it('passes over attachments that are no invoice', async () => {
    const { pages } = PLAIN_INVOICES[0]!;
    const pdf = writePdf(pages, { attachments: [{ name: 'note.xml', bytes: Buffer.from('<note/>') }] });
    const events = await runSkill(ExtractInvoiceDataSkill, { parts: [await raw(pdf, 'f.pdf')] });
    expect(told(events)).toContain('artifact: invoice');
  });

  it('gives the same invoice after a crash without reading it again', async () => {
    const steps = new Map<string, unknown>();
    const input = { parts: [await raw(plainPdf('fr-classique'), 'f.pdf')], steps };
    const first = await runSkill(ExtractInvoiceDataSkill, input);
    const second = await runSkill(ExtractInvoiceDataSkill, { ...input, attempt: 2 });
    expect(told(second)).toEqual(told(first).filter((line) => !line.startsWith('working: Read page')));
    expect(second.filter(({ kind }) => kind === 'artifact')).toEqual(first.filter(({ kind }) => kind === 'artifact'));
  });

  it('stops when the task is canceled', async () => {
    const controller = new AbortController();
    controller.abort(new Error('canceled'));
    const input = { parts: [await raw(plainPdf('fr-classique'), 'f.pdf')], signal: controller.signal };
    await expect(runSkill(ExtractInvoiceDataSkill, input)).rejects.toThrow('canceled');
  });
});

import { describe, expect, it } from '@jest/globals';
import { anInvoice, field } from '../../../test/kit/invoice/an-invoice.js';
import { invoiceMarkdown } from './invoice-markdown.js';

describe(invoiceMarkdown.name, () => {
  it('shows parties, lines and totals', () => {
    const text = invoiceMarkdown(anInvoice());
    expect(text).toContain('# Invoice 2026-1 of Muster GmbH');
    expect(text).toContain('| Name | Muster GmbH | Kunde AG |');
    expect(text).toContain('| 1 | Stuhl | 4 C62 | 25.00 | 100.00 | 19 |');
    expect(text).toContain('| To be paid | 166.55 EUR |');
  });

  it('marks uncertain values, and shows the remarks', () => {
    const text = invoiceMarkdown(
      anInvoice({ dueDate: field('2026-03-31', 0.6), remarks: ['The currency was not found.'] }),
    );
    expect(text).toContain('| Due | 2026-03-31 (?) |');
    expect(text).toContain('- The currency was not found.');
  });

  it('lets no text of the document become markup', () => {
    const seller = { name: field('Evil | Corp\n\n# [Pay](http://evil.example) <img src=x> `code`') };
    const text = invoiceMarkdown(anInvoice({ seller }));
    expect(text).not.toMatch(/^# \[Pay/mu);
    expect(text).toContain(String.raw`Evil \| Corp \# \[Pay\](http://evil.example) \<img src=x\> \`code\``);
  });

  it('shows at most a hundred lines', () => {
    const [line] = anInvoice().lines;
    const text = invoiceMarkdown(anInvoice({ lines: Array.from({ length: 150 }, () => line!) }));
    expect(text).toContain('… and 50 more lines.');
  });
});

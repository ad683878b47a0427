import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { parseXml } from '../xml/parse-xml.js';
import { paymentInstruction } from './pain-001.js';
import { WritePaymentInstructionSkill } from './write-payment-instruction.skill.js';

const ORDER = {
  creditor: 'Müller & Söhne <GmbH>',
  iban: 'de89 3704 0044 0532 0130 00',
  debtor: 'Kunde AG',
  amount: '166.9',
  currency: 'EUR',
  reference: '2026-1',
};
const NOW = new Date('2026-03-02T10:00:00Z');

describe(paymentInstruction.name, () => {
  it('writes well-formed XML with two places and compact accounts', () => {
    const { xml } = paymentInstruction(ORDER, NOW);
    expect(() => parseXml(Buffer.from(xml))).not.toThrow();
    expect(xml).toContain('<InstdAmt Ccy="EUR">166.90</InstdAmt>');
    expect(xml).toContain('<IBAN>DE89370400440532013000</IBAN>');
    expect(xml).toContain('<Cdtr><Nm>Müller &amp; Söhne &lt;GmbH&gt;</Nm></Cdtr>');
    expect(xml).toContain('<DbtrAcct><Id><Othr><Id>NOTPROVIDED</Id></Othr></Id></DbtrAcct>');
    expect(xml).toContain('<ReqdExctnDt><Dt>2026-03-02</Dt></ReqdExctnDt>');
  });

  it('names bank, payer account and service where they are known', () => {
    const { xml } = paymentInstruction(
      { ...ORDER, bic: 'COBADEFFXXX', debtorIban: 'DE02120300000000202051', currency: 'CHF' },
      NOW,
    );
    expect(xml).toContain('<BICFI>COBADEFFXXX</BICFI>');
    expect(xml).toContain('<DbtrAcct><Id><IBAN>DE02120300000000202051</IBAN></Id></DbtrAcct>');
    expect(xml).not.toContain('SEPA');
  });

  it('gives the same payment the same id at any time, and another one another', () => {
    const first = paymentInstruction(ORDER, NOW).told.endToEndId;
    expect(paymentInstruction({ ...ORDER, iban: 'DE89370400440532013000' }, new Date(0)).told.endToEndId).toBe(first);
    expect(paymentInstruction({ ...ORDER, amount: '167' }, NOW).told.endToEndId).not.toBe(first);
    expect(first.length).toBeLessThanOrEqual(35);
  });

  it('takes no account with wrong check digits', async () => {
    const run = runSkill(WritePaymentInstructionSkill, { data: [{ ...ORDER, iban: 'DE00370400440532013000' }] });
    await expect(run).rejects.toMatchObject({ violations: [{ field: 'message.parts[0].data.iban' }] });
  });
});

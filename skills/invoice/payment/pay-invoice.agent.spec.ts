import { describe, expect, it } from '@jest/globals';
import { CallFailed } from '@parley/sdk';
import { runFlow, type SkillInput } from '@parley/sdk/testing';
import { anInvoice, field } from '../../../test/kit/invoice/an-invoice.js';
import { ApprovePaymentSkill } from '../approve-payment.skill.js';
import { skillOptionsOf } from '@parley/sdk/skill/skill.js';
import { catalogOf, startFaults } from '@parley/sdk/skill/start-check.js';
import { ExtractInvoiceDataSkill } from '../extract-invoice-data.skill.js';
import { DEFAULT_INVOICE_OPTIONS } from '../invoice-options.js';
import type { Invoice } from '../invoice.js';
import { ValidateInvoiceSkill } from '../validate-invoice.skill.js';
import { PayInvoiceAgent } from './pay-invoice.agent.js';
import { WritePaymentInstructionSkill } from './write-payment-instruction.skill.js';

const OPTIONS = { ...DEFAULT_INVOICE_OPTIONS, approvalThreshold: '100' };
const BOSS = { tenant: 't', client: 'portal', subject: 'boss@example.com' };

/** Runs the agent over an invoice that was read; the other skills are the real ones. */
function pay(invoice: Invoice, input: Partial<SkillInput> = {}) {
  const children = {
    extract_invoice_data: () => JSON.parse(JSON.stringify(invoice)) as Record<string, unknown>,
    validate_invoice: new ValidateInvoiceSkill(OPTIONS),
    approve_payment: new ApprovePaymentSkill(OPTIONS),
    write_payment_instruction: WritePaymentInstructionSkill,
  };
  return runFlow(PayInvoiceAgent, { text: 'pay', nowMs: Date.UTC(2026, 2, 2), sender: BOSS, children, ...input });
}

const xmlOf = ({ artifacts }: Awaited<ReturnType<typeof pay>>): string => {
  const file = artifacts[0]?.parts.find((part) => 'raw' in part);
  return file !== undefined && 'raw' in file ? Buffer.from(file.raw, 'base64').toString('utf8') : '';
};

describe(PayInvoiceAgent.name, () => {
  it('reads, checks, has it approved and writes the instruction (O-26, O-40)', async () => {
    const asked: string[] = [];
    const answers = ({ text }: { text: string }) => {
      asked.push(text);
      return 'approve';
    };
    const run = await pay(anInvoice(), { answers });
    expect(run).toMatchObject({ state: 'completed', output: { amount: '166.55', executionDate: '2026-03-31' } });
    expect(asked).toEqual([expect.stringContaining('Approve the payment of')]);
    expect(run.calls.map(({ key }) => key)).toEqual(['invoice', 'report', 'decision', 'write_payment_instruction']);
    expect(xmlOf(run)).toContain('<CdtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></CdtrAcct>');
    expect(xmlOf(run)).toContain('<Ustrd>2026-1</Ustrd>');
  });

  it('asks for the account that the invoice does not name, and continues at that line (O-40)', async () => {
    const run = await pay(anInvoice({ payment: {} }), { answers: ['DE89 3704 0044 0532 0130 00', 'approve'] });
    expect(run.state).toBe('completed');
    expect(xmlOf(run)).toContain('<IBAN>DE89370400440532013000</IBAN>');
  });

  it('writes nothing when the payment is rejected (O-32)', async () => {
    const run = await pay(anInvoice(), { answers: [{ decision: 'reject', comment: 'wrong price' }] });
    expect(run).toMatchObject({ state: 'rejected', text: expect.stringContaining('is not paid: wrong price') });
    expect(run.calls.some(({ skillId }) => skillId === 'write_payment_instruction')).toBe(false);
  });

  it('fits the contracts of the skills that it calls (O-09)', () => {
    const classes = [ApprovePaymentSkill, ExtractInvoiceDataSkill, ValidateInvoiceSkill, WritePaymentInstructionSkill];
    const catalog = [...classes, PayInvoiceAgent].flatMap((each) => skillOptionsOf(each) ?? []);
    expect(startFaults(PayInvoiceAgent, new PayInvoiceAgent(), catalogOf(catalog))).toEqual([]);
  });

  it('says why there is nothing to pay (O-07)', async () => {
    const extract_invoice_data = (): never => {
      throw new CallFailed('extract_invoice_data', 'rejected', 'no invoice in it');
    };
    const run = await runFlow(PayInvoiceAgent, { text: 'hello', children: { extract_invoice_data } });
    expect(run).toMatchObject({ state: 'failed', text: expect.stringContaining('There is nothing to pay.') });
  });

  it('gives the same bytes in three runs, with a crash after each step, and pays once (F18, O-81)', async () => {
    const invoice = anInvoice({ payment: {}, currency: field('EUR') });
    const answers = ['DE89 3704 0044 0532 0130 00', 'approve'];
    const runs = [await pay(invoice, { answers }), await pay(invoice, { answers, crashAfter: 'each' })];
    runs.push(await pay(invoice, { answers, crashAfter: 3 }));
    expect(new Set(runs.map(xmlOf)).size).toBe(1);
    expect(runs.map(({ calls }) => calls.length)).toEqual([4, 4, 4]);
  });
});

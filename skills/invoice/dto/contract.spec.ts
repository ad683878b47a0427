import 'reflect-metadata';
import { describe, expect, it, jest } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { ValidationError } from 'class-validator';
import { anInvoice, field } from '../../../test/kit/invoice/an-invoice.js';
import { SAMPLES } from '../../../test/kit/invoice/samples.js';
import { runSkill } from '@parley/sdk/testing';
import type { SkillUnderTest } from '@parley/sdk/testing';
import { ApprovePaymentSkill } from '../approve-payment.skill.js';
import { ExtractInvoiceDataSkill } from '../extract-invoice-data.skill.js';
import { ValidateInvoiceSkill } from '../validate-invoice.skill.js';
import { ApprovalAnswerDto } from './approval-answer.dto.js';
import { InvoiceDto } from './invoice.dto.js';
import { PaymentDecisionDto } from './payment-decision.dto.js';
import { ValidationReportDto } from './validation-report.dto.js';

// Programs that write PDFs load slowly, and threads start slowly, on a machine that has other work.
jest.setTimeout(60_000);

/** Paths of all that breaks the contract, unknown members included. */
function broken(type: new () => object, value: unknown): readonly string[] {
  const errors = validateSync(plainToInstance(type, value), { whitelist: true, forbidNonWhitelisted: true });
  return errors.flatMap((error) => paths(error, ''));
}

function paths(error: ValidationError, above: string): readonly string[] {
  const path = `${above}/${error.property}`;
  const below = (error.children ?? []).flatMap((child) => paths(child, path));
  return [...below, ...Object.values(error.constraints ?? {}).map((why) => `${path}: ${why}`)];
}

async function dataOf(skill: SkillUnderTest, bytes: Uint8Array): Promise<unknown> {
  const events = await runSkill(skill, { parts: [{ raw: Buffer.from(bytes).toString('base64') }] });
  const [part] = events.find(({ kind }) => kind === 'artifact')?.parts ?? [];
  return part !== undefined && 'data' in part ? part.data : undefined;
}

describe('contracts of the invoice skills', () => {
  // Printed ones are slow and alike; one of each language is enough.
  const printed = ['en-us-classic', 'de-two-pages-two-rates', 'fr-acompte'];
  const chosen = SAMPLES.filter(({ name }) => /^(?:ubl|factur-x)\//u.test(name) || printed.includes(name));

  it.each(chosen.map((sample) => [sample.name, sample] as const))(
    'extract and validate keep them for %s',
    async (_, sample) => {
      const bytes = await sample.load();
      expect(broken(InvoiceDto, await dataOf(ExtractInvoiceDataSkill, bytes))).toEqual([]);
      expect(broken(ValidationReportDto, await dataOf(ValidateInvoiceSkill, bytes))).toEqual([]);
    },
  );

  it('approve keeps them', async () => {
    const small = new TextEncoder().encode(JSON.stringify(anInvoice()));
    expect(broken(PaymentDecisionDto, await dataOf(ApprovePaymentSkill, small))).toEqual([]);
  });

  it('an answer to the form is a decision with a comment or without', () => {
    expect(broken(ApprovalAnswerDto, { decision: 'approve' })).toEqual([]);
    expect(broken(ApprovalAnswerDto, { decision: 'reject', comment: 'wrong account' })).toEqual([]);
    expect(broken(ApprovalAnswerDto, { decision: 'maybe', comment: 7 })).toHaveLength(3);
  });

  it('a wrong value is found by its path', () => {
    const invoice = { ...anInvoice({ number: field('1', 2) }), extra: 1, totals: { payable: field('1e9') } };
    expect(broken(InvoiceDto, invoice)).toEqual([
      '/extra: property extra should not exist',
      '/number/confidence: confidence must not be greater than 1',
      expect.stringContaining('/totals/payable/value: value must match'),
    ]);
  });
});

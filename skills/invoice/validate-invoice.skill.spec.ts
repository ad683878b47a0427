import { describe, expect, it, jest } from '@jest/globals';
import { anInvoice, field } from '../../test/kit/invoice/an-invoice.js';
import { fixture } from '../../test/kit/invoice/samples.js';
import { runSkill } from '@parley/sdk/testing';
import { ValidateInvoiceSkill } from './validate-invoice.skill.js';

// Programs that write PDFs load slowly, and threads start slowly, on a machine that has other work.
jest.setTimeout(60_000);

describe(ValidateInvoiceSkill.name, () => {
  it('finds an EN 16931 sample right', async () => {
    const raw = Buffer.from(await fixture('factur-x/factur-x-en16931.xml')).toString('base64');
    const events = await runSkill(ValidateInvoiceSkill, { parts: [{ raw }] });
    expect(events.find(({ kind }) => kind === 'artifact')).toMatchObject({
      artifactId: 'validation',
      parts: [{ data: { valid: true, findings: [], invoice: { number: { value: 'F20260023' } } } }],
    });
    expect(events.at(-1)).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      parts: [{ text: 'Invoice F20260023 of LE FOURNISSEUR is valid: no errors, no warnings.' }],
    });
  });

  it('reports each finding with its rule, severity and path', async () => {
    const invoice = anInvoice({ totals: { ...anInvoice().totals, payable: field('200.00') } });
    const events = await runSkill(ValidateInvoiceSkill, { data: [{ ...invoice, format: undefined }] });
    expect(events.find(({ kind }) => kind === 'artifact')).toMatchObject({
      parts: [
        {
          data: {
            valid: false,
            findings: [
              { rule: 'BR-CO-16', severity: 'error', path: 'totals.payable', expected: '166.55', actual: '200.00' },
            ],
          },
        },
      ],
    });
    const summary = events.find((event) => event.kind === 'artifact' && event.artifactId === 'validation-summary');
    expect(JSON.stringify(summary)).toContain('| error | BR-CO-16 | totals.payable |');
  });

  it('finds the second of two tasks of a context a duplicate', async () => {
    const contextValues = new Map<string, unknown>();
    await runSkill(ValidateInvoiceSkill, { data: [anInvoice()], contextValues });
    const events = await runSkill(ValidateInvoiceSkill, { data: [anInvoice()], contextValues });
    expect(events.find(({ kind }) => kind === 'artifact')).toMatchObject({
      parts: [{ data: { valid: false, findings: [{ rule: 'PARLEY-DUPLICATE' }] } }],
    });
  });

  it('does not find its own re-run a duplicate, whether the step was journalled or not', async () => {
    const first = { taskId: 'task', data: [anInvoice()], contextValues: new Map<string, unknown>(), steps: new Map() };
    await runSkill(ValidateInvoiceSkill, first);
    for (const steps of [first.steps, new Map<string, unknown>()]) {
      const events = await runSkill(ValidateInvoiceSkill, { ...first, steps, attempt: 2 });
      expect(events.find(({ kind }) => kind === 'artifact')).toMatchObject({ parts: [{ data: { findings: [] } }] });
    }
  });

  it('rejects a document that is no invoice', async () => {
    const events = await runSkill(ValidateInvoiceSkill, 'Is my invoice right?');
    expect(events.at(-1)).toMatchObject({ state: 'TASK_STATE_REJECTED' });
  });
});

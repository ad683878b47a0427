import { describe, expect, it } from '@jest/globals';
import { CallFailed } from '@parley/sdk';
import { IsNumber, IsString } from 'class-validator';
import { artifact, rejected, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';
import { runFlow } from '@parley/sdk/testing';
import { DelegateSkill } from './delegate.skill.js';

class Invoice {
  @IsString()
  readonly invoice_id!: string;
}

class Found {
  @IsNumber()
  readonly total!: number;
}

/** Finds two invoices, one of them without an amount. */
@Skill({
  id: 'fetch_invoice',
  name: 'Fetch',
  description: 'Fetches an invoice.',
  tags: [],
  input: Invoice,
  output: Found,
  conditions: { invoice_retrieved: { type: 'object', properties: { total: { exclusiveMinimum: 0, type: 'number' } } } },
})
class FetchInvoice implements SkillHandler {
  async *run({ input }: SkillContext<Invoice>): AsyncGenerator<SkillEvent, void, void> {
    if (input.invoice_id === 'none') yield rejected('There is no such invoice.');
    else yield artifact('found', [{ data: { total: input.invoice_id === 'INV-7789' ? 5 : 0 } }]);
  }
}

class Notice {
  @IsString()
  readonly reason!: string;
}

@Skill({ id: 'notify_accounting_failure', name: 'Notify', description: 'Notifies.', tags: [], input: Notice })
class Notify implements SkillHandler {
  async *run({ input }: SkillContext<Notice>): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('notice', `Accounting knows: ${input.reason}`);
  }
}

const children = { fetch_invoice: FetchInvoice, notify_accounting_failure: Notify };
const delegation = (id: string, more: object = {}): object => ({
  ...{ delegated_intent: 'fetch_invoice', inputs: { invoice_id: id } },
  ...{ success_conditions: ['invoice_retrieved'], fallback: 'notify_accounting_failure', ...more },
});
const run = (data: object) => runFlow(DelegateSkill, { data: [{ ...data }], children, crashAfter: 'each' });
const resultOf = async (data: object): Promise<unknown> => (await run(data)).artifacts[0]?.parts[0];

describe(DelegateSkill.name, () => {
  it('runs the skill, and says that it ran (O-07)', async () => {
    expect(await resultOf(delegation('INV-7789'))).toEqual({ data: { ran: 'fetch_invoice', result: { total: 5 } } });
  });

  it.each([
    ['none', 'There is no such invoice.'],
    ['INV-0', 'its result does not meet invoice_retrieved'],
  ])('runs the fallback once, with the reason, for %s, wherever the process crashes (O-07)', async (id, reason) => {
    const { calls, artifacts } = await run(delegation(id));
    expect(calls.map(({ skillId }) => skillId)).toEqual(['fetch_invoice', 'notify_accounting_failure']);
    expect(artifacts[0]?.parts).toMatchObject([
      {
        data: {
          ran: 'notify_accounting_failure',
          result: { text: expect.stringContaining(reason) },
          reason: expect.stringContaining(reason),
        },
      },
    ]);
  });

  it('fails without a fallback for faults with which no other skill helps', async () => {
    expect(await run(delegation('INV-1', { success_conditions: ['paid'] }))).toMatchObject({ state: 'failed' });
    const denied = { fetch_invoice: () => Promise.reject(new CallFailed('fetch_invoice', 'scope', 'lacks a scope')) };
    const { state, calls } = await runFlow(DelegateSkill, { data: [{ ...delegation('x') }], children: denied });
    expect([state, calls.length]).toEqual(['failed', 1]);
  });
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import type { Message, SkillContext } from '@parley/sdk';
import { anInvoice, field } from '../../test/kit/invoice/an-invoice.js';
import type { SkillEvent } from '@parley/sdk';
import { aContext, runSkill } from '@parley/sdk/testing';
import type { SkillInput } from '@parley/sdk/testing';
import { ApprovePaymentSkill } from './approve-payment.skill.js';
import { DEFAULT_INVOICE_OPTIONS } from './invoice-options.js';
import type { InvoiceOptions } from './invoice-options.js';
import type { Invoice } from './invoice.js';

// Programs that write PDFs load slowly, and threads start slowly, on a machine that has other work.
jest.setTimeout(60_000);

const BOSS = { tenant: 't', client: 'portal', subject: 'boss@example.com' };

/** An invoice over an amount that adds up. */
function over(amount: string, changes: Partial<Invoice> = {}): Invoice {
  const base = anInvoice();
  return anInvoice({
    lines: [{ ...base.lines[0]!, quantity: '1', unitPrice: amount, netAmount: amount, taxRate: '0', taxCategory: 'Z' }],
    allowances: [],
    taxes: [{ category: 'Z', rate: '0', taxableAmount: amount, taxAmount: '0.00', source: '/test', confidence: 1 }],
    totals: {
      lineTotal: field(amount),
      taxExclusive: field(amount),
      tax: field('0.00'),
      taxInclusive: field(amount),
      payable: field(amount),
    },
    ...changes,
  });
}

/** One task over its turns: state and history live on, each turn has its own journal. */
function aTask(options: Partial<InvoiceOptions> = {}) {
  const skill = new ApprovePaymentSkill({ ...DEFAULT_INVOICE_OPTIONS, ...options });
  const state = new Map<string, unknown>();
  const contextValues = new Map<string, unknown>();
  const history: Message[] = [];
  let turn = 0;
  return {
    state,
    /** The messages so far; a test may add to them. */
    history,
    send: async (input: SkillInput): Promise<readonly SkillEvent[]> => {
      turn += 1;
      const said = [...history];
      const events = await runSkill(skill, { state, contextValues, turn, principal: BOSS, history: said, ...input });
      history.push(...saidIn(events));
      return events;
    },
  };
}

async function collected(events: AsyncIterable<SkillEvent>): Promise<readonly SkillEvent[]> {
  const all: SkillEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The question that a turn ends with, as the history keeps it. */
function saidIn(events: readonly SkillEvent[]): readonly Message[] {
  const last = events.at(-1);
  return last?.kind === 'status' ? [{ messageId: randomUUID(), role: 'ROLE_AGENT', parts: last.parts }] : [];
}

function decisionOf(events: readonly SkillEvent[]): unknown {
  const event = events.find((each) => each.kind === 'artifact' && each.artifactId === 'decision');
  const [part] = event?.parts ?? [];
  return part !== undefined && 'data' in part ? part.data : undefined;
}

function lastState(events: readonly SkillEvent[]): string | undefined {
  const last = events.at(-1);
  return last?.kind === 'status' ? last.state : undefined;
}

function textOf(events: readonly SkillEvent[]): string {
  const [part] = events.at(-1)?.parts ?? [];
  return part !== undefined && 'text' in part ? part.text : '';
}

describe(ApprovePaymentSkill.name, () => {
  it('approves a small and right invoice by policy', async () => {
    const events = await aTask().send({ data: [over('9999.99')] });
    expect(lastState(events)).toBe('TASK_STATE_COMPLETED');
    expect(decisionOf(events)).toMatchObject({
      decision: 'approved',
      by: { kind: 'policy' },
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/u),
      reasons: [],
      amount: '9999.99',
      currency: 'EUR',
      threshold: '10000',
      findings: [],
    });
  });

  it('asks a human at the threshold, with the details and a form (A2A-TASKAUTH-06, SEED-59)', async () => {
    const events = await aTask().send({ data: [over('10000.00')] });
    expect(lastState(events)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOf(events)).toContain('Approve the payment of 10000.00 EUR?');
    expect(textOf(events)).toContain('at or above 10000 EUR');
    expect(events.at(-1)?.parts[1]).toMatchObject({
      mediaType: 'application/json',
      data: {
        kind: 'approval-request',
        amount: '10000.00',
        invoice: { number: { value: '2026-1' } },
        form: { schema: { required: ['decision'], properties: { decision: { enum: ['approve', 'reject'] } } } },
      },
    });
    expect(decisionOf(events)).toBeUndefined();
  });

  it('compares amounts as decimals and by the currency of the invoice', async () => {
    const thresholds = { approvalThreshold: '10000', approvalThresholds: { JPY: '1000000' } };
    expect(lastState(await aTask(thresholds).send({ data: [over('10000')] }))).toBe('TASK_STATE_INPUT_REQUIRED');
    const yen = over('999999', { currency: field('JPY') });
    expect(lastState(await aTask(thresholds).send({ data: [yen] }))).toBe('TASK_STATE_COMPLETED');
  });

  it.each([
    ['an error', over('5.00', { seller: { name: field('X') } }), 'BR-S-02|BR-CO-26'],
    ['no currency', { ...over('5.00'), currency: undefined }, 'currency is not known'],
    [
      'an uncertain amount',
      over('5.00', { totals: { payable: field('5.00', 0.7), taxInclusive: field('5.00', 0.7) } }),
      'not certain',
    ],
  ])('asks a human about %s, however small the amount', async (_, invoice, why) => {
    const isForm = why.startsWith('BR');
    const sent = isForm ? { ...invoice, totals: { ...over('5.00').totals, payable: field('6.00') } } : invoice;
    const events = await aTask().send({ data: [sent] });
    expect(lastState(events)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOf(events)).toMatch(new RegExp(isForm ? 'BR-CO-16' : why, 'u'));
  });

  it('asks about a duplicate', async () => {
    const skill = new ApprovePaymentSkill();
    const contextValues = new Map<string, unknown>();
    await runSkill(skill, { data: [over('5.00')], contextValues });
    const events = await runSkill(skill, { data: [over('5.00')], contextValues });
    expect(lastState(events)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOf(events)).toContain('PARLEY-DUPLICATE');
  });

  it.each([
    ['a credit note', over('5.00', { kind: 'credit-note' }), 'credit note'],
    ['nothing to pay', over('0.00'), 'the amount due is 0.00'],
    ['no amount', over('5.00', { totals: {} }), 'amount to be paid was not found'],
  ])('rejects %s', async (_, invoice, why) => {
    const events = await aTask().send({ data: [invoice] });
    expect(lastState(events)).toBe('TASK_STATE_REJECTED');
    expect(textOf(events)).toContain(why);
  });

  it.each([
    ['the form', { data: [{ decision: 'approve', comment: 'budget 4711' }] }, 'budget 4711'],
    ['a word', { text: 'approved' }, undefined],
  ])('records an approval by %s, with its maker and time', async (_, answer, comment) => {
    const task = aTask();
    await task.send({ data: [over('12345.00')] });
    const before = new Date().toISOString();
    const events = await task.send(answer);
    expect(lastState(events)).toBe('TASK_STATE_COMPLETED');
    const decision = decisionOf(events) as { at: string; comment?: string };
    expect(decision).toMatchObject({
      decision: 'approved',
      by: { kind: 'person', client: 'portal', subject: 'boss@example.com' },
      amount: '12345.00',
      reasons: ['The amount is at or above 10000 EUR'],
      invoice: { number: { value: '2026-1' } },
    });
    expect(decision.comment).toBe(comment);
    expect(decision.at >= before).toBe(true);
  });

  it('records a rejection (SEED-59)', async () => {
    const task = aTask();
    await task.send({ data: [over('12345.00')] });
    const events = await task.send({ text: 'Rejected: wrong account', principal: { tenant: 't', client: 'portal' } });
    expect(decisionOf(events)).toMatchObject({
      decision: 'rejected',
      by: { kind: 'client', client: 'portal' },
      comment: 'Rejected: wrong account',
    });
    expect(lastState(events)).toBe('TASK_STATE_COMPLETED');
  });

  it.each([
    ['how much is it?', 'To be paid: 12345.00 EUR'],
    ['Wann ist sie fällig?', 'due on 2026-03-31'],
    ['Qui est le fournisseur ?', 'comes from Muster GmbH'],
    ['Which account?', 'DE89370400440532013000'],
    ['What is it for?', '- Stuhl: 12345.00'],
    ['Why are you asking me?', 'at or above 10000 EUR'],
    ['Really?', 'To be paid: 12345.00 EUR'],
  ])('answers %s and asks again', async (question, answer) => {
    const task = aTask();
    await task.send({ data: [over('12345.00')] });
    const events = await task.send({ text: question });
    expect(lastState(events)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOf(events)).toContain(answer);
    expect(textOf(events)).toContain('Approve the payment of');
    expect(lastState(await task.send({ text: 'approve' }))).toBe('TASK_STATE_COMPLETED');
  });

  it.each([
    ['unrelated words', { text: 'The weather is fine' }, 'not understood'],
    ['an empty message', { text: '' }, 'was empty'],
    ['a form that is filled in wrongly', { data: [{ decision: 'later' }] }, 'must be one of'],
    ['another file', { text: 'approve', parts: [{ raw: 'AAAA' }] }, 'Start a new task'],
  ])('decides nothing on %s and asks again', async (_, answer, why) => {
    const task = aTask();
    await task.send({ data: [over('12345.00')] });
    const events = await task.send(answer);
    expect(lastState(events)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOf(events)).toContain(why);
    expect(decisionOf(events)).toBeUndefined();
  });

  it('does not take the request for its own answer when the first turn runs again after a crash', async () => {
    const state = new Map<string, unknown>();
    const input = {
      text: 'approve',
      parts: [{ raw: Buffer.from(JSON.stringify(over('12345.00'))).toString('base64') }],
      state,
    };
    const first = await runSkill(new ApprovePaymentSkill(), input);
    const second = await runSkill(new ApprovePaymentSkill(), { ...input, attempt: 2 });
    expect(lastState(first)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(lastState(second)).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('returns the same decision when the deciding turn runs again after a crash', async () => {
    const task = aTask();
    await task.send({ data: [over('12345.00')] });
    const input = { text: 'approve', turn: 2, steps: new Map<string, unknown>() };
    const first = decisionOf(await task.send(input));
    const second = decisionOf(await task.send({ ...input, attempt: 2, principal: { tenant: 't', client: 'other' } }));
    expect(first).toBeDefined();
    expect(second).toEqual(first);
  });

  it('keeps the waiting case as JSON, so that a week and another process do not matter', async () => {
    const task = aTask();
    await task.send({ data: [over('12345.00')] });
    const kept = JSON.parse(JSON.stringify([...task.state])) as [string, unknown][];
    const later = new Map(kept);
    const history = JSON.parse(JSON.stringify(task.history)) as Message[];
    const events = await runSkill(new ApprovePaymentSkill(), { text: 'approve', turn: 2, state: later, history });
    expect(decisionOf(events)).toMatchObject({ decision: 'approved', amount: '12345.00' });
  });

  it('fails clearly when the case to decide is gone', async () => {
    await expect(runSkill(new ApprovePaymentSkill(), { text: 'approve', turn: 2 })).rejects.toMatchObject({
      name: 'SkillFailure',
      message: 'The payment that was to be decided is no longer known.',
    });
  });

  it('records the approver, not the sender that began the task (A2A-TASKAUTH-06)', async () => {
    const task = aTask();
    await task.send({ data: [over('12345.00')] });
    const sender = { tenant: 't', client: 'desk', subject: 'treasurer@example.com', scopes: [] };
    expect(decisionOf(await task.send({ text: 'approve', sender }))).toMatchObject({
      by: { kind: 'person', client: 'desk', subject: 'treasurer@example.com' },
    });
  });

  it.each([
    ['a word', { text: 'ok thanks' }],
    ['the form', { data: [{ approved: true }] }],
  ])('takes nothing for an answer that was sent before the question: %s', async (_, input) => {
    const task = aTask();
    await task.send({ data: [over('12345.00')] });
    const [question] = task.history;
    // The message is older than the question, as when it came while the invoice was still being read.
    const skill = new ApprovePaymentSkill();
    const context = aContext({ ...input, turn: 2, state: task.state });
    const history = [...context.messages, ...(question === undefined ? [] : [question])];
    const early = Object.create(context, { history: { value: history } }) as SkillContext;
    const events = await collected(skill.run(early));
    expect(lastState(events)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOf(events)).toContain('before the question was asked');
    expect(decisionOf(events)).toBeUndefined();
  });

  it('asks again after an answer of an unknown sender', async () => {
    const task = aTask();
    await task.send({ data: [over('12345.00')] });
    const context = aContext({ text: 'approve', turn: 2, state: task.state, history: task.history });
    const senders = () => Promise.resolve([undefined]);
    const strange = Object.create(context, { senders: { value: senders } }) as SkillContext;
    const events = await collected(new ApprovePaymentSkill().run(strange));
    expect(lastState(events)).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('takes no long text for a decision, however often it says no', async () => {
    const task = aTask();
    await task.send({ data: [over('12345.00')] });
    const events = await task.send({ text: 'no,'.repeat(1_000_000) });
    expect(textOf(events)).toContain('not understood');
  });

  describe('with a login for approvers', () => {
    const approverLogin = { url: 'https://pay.example/approve', subjects: ['boss@example.com'] };

    it('asks for the login instead of the answer', async () => {
      const events = await aTask({ approverLogin }).send({ data: [over('12345.00')] });
      expect(lastState(events)).toBe('TASK_STATE_AUTH_REQUIRED');
      expect(textOf(events)).toContain('log in at https://pay.example/approve');
      expect(events.at(-1)?.parts[1]).toMatchObject({ data: { loginUrl: 'https://pay.example/approve' } });
    });

    it.each([
      ['a client without a person', { tenant: 't', client: 'portal' }],
      ['a person who may not', { tenant: 't', client: 'portal', subject: 'intern@example.com' }],
    ])('takes no decision of %s', async (_, principal) => {
      const task = aTask({ approverLogin });
      await task.send({ data: [over('12345.00')] });
      const events = await task.send({ text: 'approve', principal });
      expect(lastState(events)).toBe('TASK_STATE_AUTH_REQUIRED');
      expect(textOf(events)).toContain('not logged in as somebody who may approve');
      expect(decisionOf(events)).toBeUndefined();
    });

    it('takes the decision of a permitted sender', async () => {
      const task = aTask({ approverLogin });
      await task.send({ data: [over('12345.00')] });
      expect(decisionOf(await task.send({ text: 'approve' }))).toMatchObject({
        decision: 'approved',
        by: { subject: 'boss@example.com' },
      });
    });
  });
});

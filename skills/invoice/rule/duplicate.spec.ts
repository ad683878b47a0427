import { describe, expect, it } from '@jest/globals';
import { anInvoice, field } from '../../../test/kit/invoice/an-invoice.js';
import { rememberedDuplicate } from './duplicate.js';

function aContext(rootId: string, values: Map<string, unknown>) {
  return {
    rootId,
    shared: () => ({
      setIfAbsent: (name: string, value: unknown) => {
        if (!values.has(name)) values.set(name, value);
        return Promise.resolve(values.get(name));
      },
    }),
  };
}

describe(rememberedDuplicate.name, () => {
  it('reports that another task of the context had the same seller and number', async () => {
    const values = new Map<string, unknown>();
    expect(await rememberedDuplicate(anInvoice(), aContext('t1', values))).toEqual([]);
    expect(await rememberedDuplicate(anInvoice(), aContext('t2', values))).toMatchObject([
      {
        rule: 'PARLEY-DUPLICATE',
        severity: 'error',
        path: 'number',
        message: expect.stringContaining('task t1, with the same total'),
      },
    ]);
  });

  it('says when the total differs', async () => {
    const values = new Map<string, unknown>();
    await rememberedDuplicate(anInvoice(), aContext('t1', values));
    const other = anInvoice({ totals: { payable: field('1.00') } });
    const [finding] = await rememberedDuplicate(other, aContext('t2', values));
    expect(finding?.message).toContain('another total (166.55)');
  });

  it('does not take a re-run of the same task for a duplicate', async () => {
    const values = new Map<string, unknown>();
    await rememberedDuplicate(anInvoice(), aContext('t1', values));
    expect(await rememberedDuplicate(anInvoice(), aContext('t1', values))).toEqual([]);
  });

  it('knows a number however it is spaced, and distinguishes sellers and kinds', async () => {
    const values = new Map<string, unknown>();
    await rememberedDuplicate(anInvoice({ number: field('RE 2026/1') }), aContext('t1', values));
    expect(await rememberedDuplicate(anInvoice({ number: field('re-2026-1') }), aContext('t2', values))).toHaveLength(
      1,
    );
    expect(await rememberedDuplicate(anInvoice({ number: field('RE 2026/2') }), aContext('t3', values))).toEqual([]);
    const seller = { ...anInvoice().seller, vatId: field('DE999999999') };
    expect(
      await rememberedDuplicate(anInvoice({ number: field('RE 2026/1'), seller }), aContext('t4', values)),
    ).toEqual([]);
    const credit = anInvoice({ number: field('RE 2026/1'), kind: 'credit-note' });
    expect(await rememberedDuplicate(credit, aContext('t5', values))).toEqual([]);
  });

  it('keeps no name or number in the state', async () => {
    const values = new Map<string, unknown>();
    await rememberedDuplicate(anInvoice(), aContext('t1', values));
    expect(JSON.stringify([...values])).not.toMatch(/Muster|2026-1|DE123/u);
  });

  it('remembers nothing without a seller or a number', async () => {
    const values = new Map<string, unknown>();
    await rememberedDuplicate(anInvoice({ seller: {} }), aContext('t1', values));
    expect(values.size).toBe(0);
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { EndpointVisit } from './endpoint-visit.js';
import type { Admission, AttemptReport, EndpointSign } from '../../platform/breaker/endpoint-breaker.js';

describe(EndpointVisit, () => {
  let admissions: number;
  let reports: (Omit<AttemptReport, 'token' | 'ms'> & { readonly token: string })[];
  let inLane: number;
  let isTrusted: boolean;
  let admission: Admission;
  let visit: EndpointVisit;

  beforeEach(() => {
    [admissions, inLane, isTrusted, reports] = [0, 0, true, []];
    admission = { kind: 'admitted' };
    visit = new EndpointVisit({
      enter: () => {
        inLane = 1;
        return () => (inLane = 0);
      },
      isTrusted: () => isTrusted,
      admit: () => {
        admissions += 1;
        return Promise.resolve(admission);
      },
      report: ({ token, sign, count }) => {
        reports.push({ token, sign, count });
        return Promise.resolve();
      },
    });
  });

  const attempt = (sign: EndpointSign) => visit.pass(() => Promise.resolve({ sign }));

  it('keeps its slot between events while the endpoint succeeds, and reports them together', async () => {
    for (let event = 0; event < 4; event += 1) {
      expect(await attempt('succeeded')).toEqual({ kind: 'attempted', attempt: { sign: 'succeeded' } });
    }
    expect(reports).toEqual([]);
    await visit.leave();
    await visit.leave();
    expect(admissions).toBe(1);
    expect(reports).toMatchObject([{ sign: 'succeeded', count: 4 }]);
  });

  it('reports each attempt to an endpoint without a recent success', async () => {
    isTrusted = false;
    await attempt('succeeded');
    await attempt('succeeded');
    expect(admissions).toBe(2);
    expect(reports.map(({ count }) => count)).toEqual([1, 1]);
    expect(inLane).toBe(0);
  });

  it.each(['failed', 'refused', 'none'] as const)('reports %s at once, after the successes', async (sign) => {
    await attempt('succeeded');
    await attempt('succeeded');
    await attempt(sign);
    expect(reports).toMatchObject([
      { sign: 'succeeded', count: 2 },
      { sign, count: 1 },
    ]);
    expect(inLane).toBe(0);
    await visit.leave();
    expect(reports).toHaveLength(2);
  });

  it('releases the slot when an attempt throws', async () => {
    await expect(visit.pass(() => Promise.reject(new Error('cut')))).rejects.toThrow('cut');
    expect(reports).toMatchObject([{ sign: 'none', count: 1 }]);
    expect(inLane).toBe(0);
  });

  it('holds nothing when it is not admitted', async () => {
    admission = { kind: 'busy', waitMs: 100 };
    const passage = await attempt('succeeded');
    expect(passage.kind).toBe('wait');
    expect(inLane).toBe(0);
    admission = { kind: 'disabled', reason: 'only_failures' };
    expect(await attempt('succeeded')).toEqual({ kind: 'disabled' });
    await visit.leave();
    expect(reports).toEqual([]);
  });
});

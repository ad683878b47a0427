import { describe, expect, it } from '@jest/globals';
import { judgeRedis } from './redis-policy.js';

const FIT = { version: '7.0.15', evictionPolicy: 'noeviction', appendOnly: true, isStrayNode: false };

describe(judgeRedis.name, () => {
  it('reports nothing for a durable server that never evicts', () => {
    expect(judgeRedis([FIT])).toEqual([]);
  });

  it('refuses a server that may evict tasks, and names the setting', () => {
    const [finding] = judgeRedis([{ ...FIT, evictionPolicy: 'allkeys-lru' }]);
    expect(finding).toMatchObject({ severity: 'refuse' });
    expect(finding?.text).toContain('noeviction');
  });

  it.each(['6.0.16', '5.0.7', '2.8'])('refuses version %s', (version) => {
    expect(judgeRedis([{ ...FIT, version }])).toMatchObject([{ severity: 'refuse' }]);
  });

  it.each(['6.2.0', '7.4.1', '8.0.0'])('takes version %s', (version) => {
    expect(judgeRedis([{ ...FIT, version }])).toEqual([]);
  });

  it('warns of a server that loses its data at a restart', () => {
    expect(judgeRedis([{ ...FIT, appendOnly: false }])).toMatchObject([{ severity: 'warn' }]);
  });

  it('accepts a managed server that hides its settings', () => {
    expect(judgeRedis([{ ...FIT, evictionPolicy: undefined, appendOnly: undefined }])).toEqual([]);
  });

  it('names the unsuitable node of a Cluster', () => {
    const [finding, ...more] = judgeRedis([FIT, { ...FIT, node: 'b:6379', evictionPolicy: 'allkeys-lru' }]);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      severity: 'refuse',
      text: expect.stringMatching(/^node b:6379: maxmemory-policy/),
    });
  });

  it('refuses a node of a Cluster addressed as a single server', () => {
    const [finding] = judgeRedis([{ ...FIT, isStrayNode: true }]);
    expect(finding).toMatchObject({ severity: 'refuse', text: expect.stringContaining('redis-cluster://') });
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const SCALED_OBJECT = new URL('../../../deploy/helm/parley/templates/scaledobject.yaml', import.meta.url);

describe('the autoscaling of workers', () => {
  it('counts runs that a worker can begin or has begun, and no task that waits (O-82)', () => {
    const queries = [...readFileSync(SCALED_OBJECT, 'utf8').matchAll(/^ +query: (.+)$/gm)].map(
      ([, query]) => query ?? '',
    );
    expect(queries).toHaveLength(2);
    const ofJobs = queries.filter((query) => query.includes('a2a_queue_jobs'));
    expect(ofJobs).toHaveLength(1);
    for (const query of ofJobs) expect(/state=~"([^"]+)"/.exec(query)?.[1]?.split('|')).toEqual(['waiting', 'active']);
    for (const query of queries) expect(query).toMatch(/a2a_queue_(jobs|oldest_wait_seconds)/);
  });
});

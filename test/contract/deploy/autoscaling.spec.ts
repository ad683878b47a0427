import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';

const FOLDER = new URL('../../../deploy/rendered/', import.meta.url);

interface Scaled {
  readonly kind: string;
  readonly spec: { readonly triggers: readonly { readonly metadata: { readonly query: string } }[] };
}

const scaled = readdirSync(FOLDER)
  .flatMap((name) => parseAllDocuments(readFileSync(new URL(name, FOLDER), 'utf8')))
  .map((document) => document.toJS() as Scaled | null)
  .flatMap((manifest) => (manifest?.kind === 'ScaledObject' ? [manifest] : []));

describe('the autoscaling of workers', () => {
  it('counts runs that a worker can begin or has begun, and no task that waits (O-82)', () => {
    expect(scaled.length).toBeGreaterThan(0);
    const queries = scaled.flatMap(({ spec }) => spec.triggers.map(({ metadata }) => metadata.query));
    const ofJobs = queries.filter((query) => query.includes('a2a_queue_jobs'));
    expect(ofJobs).toHaveLength(scaled.length);
    for (const query of ofJobs) expect(/state=~"([^"]+)"/.exec(query)?.[1]?.split('|')).toEqual(['waiting', 'active']);
    for (const query of queries) expect(query).toMatch(/a2a_queue_(jobs|oldest_wait_seconds)/);
  });
});

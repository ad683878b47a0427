import { describe, expect, it } from '@jest/globals';
import { type KnownFault, markdownTable, type Outcome, type Row, surprises } from './report.js';

const FAULT: KnownFault = {
  client: 'Theirs 1',
  binding: 'GRPC',
  cells: ['file'],
  why: 'has no names of files',
  issue: 'them/sdk#1',
};

function aRow(outcomes: Readonly<Record<string, Outcome>>, binding = 'GRPC'): Row {
  return { client: 'Theirs 1', speaks: '0.3', binding, outcomes: new Map(Object.entries(outcomes)) };
}

describe(surprises.name, () => {
  it('is silent about passed cells, explained failures, and operations that a client lacks', () => {
    const row = aRow({ send: {}, file: { failure: 'no name' }, list: undefined });
    expect(surprises([row], [FAULT])).toEqual([]);
  });

  it('reports an unexplained failure, also on another binding', () => {
    expect(surprises([aRow({ send: { failure: 'broken' } })], [FAULT])).toEqual([
      'FAILED Theirs 1, GRPC, send: broken',
    ]);
    expect(surprises([aRow({ file: { failure: 'no name' } }, 'JSONRPC')], [FAULT])).toEqual([
      'FAILED Theirs 1, JSONRPC, file: no name',
    ]);
  });

  it('reports a known fault that is gone', () => {
    expect(surprises([aRow({ file: {} })], [FAULT])).toEqual([
      'PASSED though it is a known fault: Theirs 1, GRPC, file',
    ]);
  });
});

describe(markdownTable.name, () => {
  it('marks passed cells, numbers explained failures, and counts', () => {
    const table = markdownTable([aRow({ send: {}, file: { failure: 'x' }, card: { failure: 'y' } })], [FAULT]);
    expect(table).toMatch(/\| Theirs 1 \| 0\.3 \| GRPC | \*\*✗\*\* \| ✓ \| \[1\]/);
    expect(table).toContain('1 of 3 cells passed.');
    expect(table).toContain('[1] Theirs 1: has no names of files');
  });
});

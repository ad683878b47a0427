import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/** Files that hand a call on: issue 17's bound. */
const MOST_FILES = 35;

interface Walk {
  readonly walk: readonly string[];
  readonly trips: number;
}

describe('the way of a call through our files (docs/architecture.md)', () => {
  it(`is at most ${String(MOST_FILES)} files long, for an answer, a stream and a webhook`, () => {
    const output = execFileSync(process.execPath, ['--no-warnings', 'test/kit/walk.mjs', '--json'], {
      encoding: 'utf8',
    });
    const walks = Object.entries(JSON.parse(output) as Record<string, Walk>);
    expect(walks).toHaveLength(3);
    for (const [name, { walk }] of walks) {
      expect({ name, isShort: walk.length <= MOST_FILES, isWhole: walk.length >= 10 }).toEqual({
        ...{ name, isShort: true, isWhole: true },
      });
    }
    expect(walks[0]?.[1].trips).toBeLessThanOrEqual(5);
  }, 120_000);
});

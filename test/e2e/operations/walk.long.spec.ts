import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/** Files that hand a call on. A webhook's way has its delivery behind that of the call. */
const MAX_FILES = 35;
const MAX_FILES_WITH_WEBHOOK = 43;

interface Walk {
  readonly walk: readonly string[];
  readonly trips: number;
}

describe('the way of a call through our files (docs/architecture.md)', () => {
  it(`is at most ${String(MAX_FILES)} files long for an answer and a stream, and ${String(MAX_FILES_WITH_WEBHOOK)} for a webhook`, () => {
    const output = execFileSync(process.execPath, ['--no-warnings', 'test/kit/checks/walk.mjs', '--json'], {
      encoding: 'utf8',
    });
    const walks = Object.entries(JSON.parse(output) as Record<string, Walk>);
    expect(walks).toHaveLength(3);
    for (const [name, { walk }] of walks) {
      const max = name.includes('webhook') ? MAX_FILES_WITH_WEBHOOK : MAX_FILES;
      expect({ name, isShort: walk.length <= max, isWhole: walk.length >= 10 }).toEqual({
        ...{ name, isShort: true, isWhole: true },
      });
    }
    expect(walks[0]?.[1].trips).toBeLessThanOrEqual(5);
  }, 120_000);
});

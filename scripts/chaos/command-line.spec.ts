import { describe, expect, it } from '@jest/globals';
import { readWish, usage, UsageError } from './command-line.js';
import { SCENARIOS, TABLE } from './scenarios.js';
import { tableOf } from './table.js';

describe(readWish.name, () => {
  it('reads scenarios, size, seed and settings', () => {
    const wish = readWish(['--scenario', 'workers', '--tasks', '200', '--seed', '7', '--set', 'workers=3']);
    expect(wish).toMatchObject({ tasks: 200, seed: 7, settings: { workers: 3 }, isTable: false });
    expect(wish?.scenarios.map(({ name }) => name)).toEqual(['workers']);
  });

  it.each([['--all'], ['--scenario', 'all']])('takes the whole table for %s', (...args) => {
    expect(readWish(args)).toMatchObject({ isTable: true });
    expect(readWish(args)?.scenarios).toEqual(TABLE);
  });

  it.each([
    [['--scenario', 'wokers'], 'There is no scenario "wokers". There are: workers, redis'],
    [[], 'Name a scenario'],
    [['--scenario', 'workers', '--tasks', 'many'], '--tasks must be a whole number of at least 1, not "many"'],
    [['--scenario', 'workers', '--tasks', '0'], '--tasks must be a whole number of at least 1'],
    [['--scenario', 'workers', '--seed', '-1'], '--seed'],
    [['--scenario', 'outage', '--tasks', '5'], 'leave --tasks out'],
    [['--all', '--tasks', '5'], 'leave --tasks out'],
    [['--scenario', 'workers', '--set', 'speed=5'], 'There is no setting "speed". There are: workers, standby'],
    [['--scenario', 'workers', '--set', 'workers=x'], '--set workers must be a whole number'],
    [['--scenarios', 'workers'], "Unknown option '--scenarios'"],
  ])('refuses %j and says why', (args, reason) => {
    expect(() => readWish(args)).toThrow(UsageError);
    expect(() => readWish(args)).toThrow(reason);
  });

  it('gives way to --help, which names every scenario', () => {
    expect(readWish(['--help'])).toBeUndefined();
    const text = usage();
    for (const { name, what } of SCENARIOS) {
      expect(text).toMatch(new RegExp(`^ *${name} `, 'm'));
      expect(text).toContain(what);
    }
  });
});

describe(tableOf.name, () => {
  const report = {
    scenario: 'api',
    seed: 1,
    tasks: 50,
    ok: true,
    figures: {},
    summary: '50 tasks',
    broken: [],
    late: [],
  };

  it('gives each run its command, its figures and whether the promises were kept', () => {
    const late = { ...report, scenario: 'outage', ok: false, late: ['a call hung'] };
    expect(tableOf([report, late]).split('\n').slice(2)).toEqual([
      '| `npm run chaos -- --scenario api --tasks 50` | 50 tasks | yes |',
      '| `npm run chaos -- --scenario outage` | 50 tasks | a call hung |',
    ]);
  });
});

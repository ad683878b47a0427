import { percentile } from '../../chaos/check/figures.js';
import type { Goal, Measure } from '../bench-case.js';
import { type SystemName, SYSTEMS } from '../system/system.js';

const TITLES: Readonly<Partial<Record<SystemName, string>>> = {
  parley: 'Parley',
  'parley-apart': 'Parley, roles apart',
  'parley-guarded': 'Parley, guarded',
  'sdk-memory': 'SDK, memory',
  'sdk-redis': 'SDK, Redis',
  'sdk-mcp': 'MCP SDK',
};

function titleOf(name: SystemName): string {
  return TITLES[name] ?? name;
}

/** Medians of all systems, a line per case and figure, and their ratios to the peer's: Markdown. */
export function figuresTable(measures: readonly Measure[]): string {
  const lines = new Map<string, Map<SystemName, number>>();
  for (const measure of measures) {
    const line = `${measure.case} | ${measure.figure}`;
    lines.set(line, (lines.get(line) ?? new Map<SystemName, number>()).set(measure.system, median(measure)));
  }
  const shown = SYSTEMS.filter((name) => measures.some(({ system }) => system === name));
  let above = '';
  const rows = [...lines].map(([line, values]) => {
    const [name = '', figure = ''] = line.split(' | ');
    // A case is named once, before its first figure.
    const cells = [name === above ? '' : name, figure];
    above = name;
    const ratio = (to: SystemName): string => ratioText(values.get('parley'), values.get(to));
    return [
      ...cells,
      ...shown.map((system) => numberText(values.get(system))),
      ratio('sdk-memory'),
      ratio('sdk-redis'),
      ratio('sdk-mcp'),
    ];
  });
  const head = [
    'case | figure',
    ...shown.map((name) => titleOf(name)),
    'Parley / memory',
    'Parley / Redis',
    'Parley / MCP SDK',
  ];
  const rule = ['--- | ---', ...shown.map(() => '---:'), '---:', '---:', '---:'];
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Result of each goal: Markdown. */
export function goalsTable(goals: readonly Goal[], measures: readonly Measure[]): string {
  const rows = goals.flatMap((goal) => {
    const reached = reachedOf(goal, measures);
    if (reached === undefined) return [];
    const wanted = goal.atLeast === undefined ? `≤ ${goal.atMost ?? 0}` : `≥ ${goal.atLeast}`;
    const of = goal.against === undefined ? goal.figure : `${goal.figure} of ${titleOf(goal.against)}`;
    const cells = [
      goal.case,
      `${titleOf(goal.system)}: ${of}`,
      wanted,
      reached.toFixed(2),
      isMet(goal, reached) ? 'yes' : 'no',
    ];
    return [`| ${cells.join(' | ')} |`];
  });
  return ['| case | measure | goal | reached | met |', '| --- | --- | ---: | ---: | --- |', ...rows].join('\n');
}

/** Undefined where nothing was measured, as with `--case`. */
export function reachedOf(goal: Goal, measures: readonly Measure[]): number | undefined {
  const of = (system: SystemName): number | undefined => {
    const found = measures.find((one) => one.case === goal.case && one.figure === goal.figure && one.system === system);
    return found && median(found);
  };
  const own = of(goal.system);
  if (own === undefined || goal.against === undefined) return own;
  const other = of(goal.against);
  return other === undefined ? undefined : own / other;
}

function isMet({ atLeast, atMost }: Goal, reached: number): boolean {
  return (atLeast === undefined || reached >= atLeast) && (atMost === undefined || reached <= atMost);
}

function median({ values }: Measure): number {
  return percentile(values, 0.5);
}

function ratioText(value: number | undefined, other: number | undefined): string {
  return value === undefined || other === undefined || other === 0 ? '' : `${(value / other).toFixed(2)} ×`;
}

function numberText(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value < 10 ? 2 : 1);
}

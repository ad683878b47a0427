import { percentile } from '../../chaos/check/figures.js';
import type { Measure } from '../bench-case.js';
import { PROCESSOR_TIME, RATE } from '../report/rounds.js';

/** A line of the table: a call, and how the service runs meanwhile. */
export interface FloorLine {
  readonly call: string;
  /** '' for one process without guards. */
  readonly form: string;
  /** The floor of the ratio to the SDK in memory. */
  readonly atLeast?: number;
}

const HEAD = [
  ...['call', 'our µs', 'SDK, memory', 'ratio', 'floor', 'SDK, Redis', 'ratio'],
  ...['our calls/s', 'to memory', 'to Redis', 'µs before', 'difference'],
];

/** Processor time of a call, of all processes of a side, and rates. Ratios are medians of those of each round: Markdown. */
export function floorTable(lines: readonly FloorLine[], measures: readonly Measure[]): string {
  const rows = lines.map(({ call, form, atLeast }) => {
    const end = form === '' ? '' : `-${form}`;
    const of = (figure: string, system: string): readonly number[] =>
      measures.find((one) => one.case === call && one.figure === figure && one.system === system)?.values ?? [];
    const [own, before] = [of(PROCESSOR_TIME, `parley${end}`), of(PROCESSOR_TIME, `before${end}`)];
    const [memory, redis] = [of(PROCESSOR_TIME, 'sdk-memory'), of(PROCESSOR_TIME, 'sdk-redis')];
    const rate = of(RATE, `parley${end}`);
    const share = ratio(memory, own);
    return [
      ...[form === '' ? call : `${call}, ${form.replace('-', ' and ')}`, whole(own), whole(memory), share.toFixed(2)],
      ...[atLeast === undefined ? '' : `${atLeast.toFixed(2)} ${share < atLeast ? 'MISSED' : 'met'}`],
      ...[whole(redis), ratio(redis, own).toFixed(2), whole(rate)],
      ...[ratio(rate, of(RATE, 'sdk-memory')).toFixed(2), ratio(rate, of(RATE, 'sdk-redis')).toFixed(2)],
      ...(before.length === 0 ? ['', ''] : [whole(before), percent(ratio(own, before))]),
    ];
  });
  const rule = HEAD.map((_name, at) => (at === 0 ? '---' : '---:'));
  return [HEAD, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The median of the rounds' ratios: both sides of a round had the same moment of the machine. */
function ratio(values: readonly number[], others: readonly number[]): number {
  return percentile(
    values.map((value, round) => value / (others[round] ?? NaN)),
    0.5,
  );
}

function whole(values: readonly number[]): string {
  return Math.round(percentile(values, 0.5)).toLocaleString('en-US');
}

function percent(share: number): string {
  return `${share >= 1 ? '+' : '−'}${(Math.abs(share - 1) * 100).toFixed(0)} %`;
}

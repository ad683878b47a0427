import { durationText } from './format.js';
import type { Lane, Piece } from './timeline.js';

/** Positions of times on the axis, in per cent, and its parts for long times in which nothing happened. */
export interface Axis {
  readonly at: (time: number) => number;
  readonly gaps: readonly { readonly from: number; readonly to: number; readonly ms: number }[];
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

/** The share of the axis that a gap keeps. */
const GAP = 5;
const TICKS = 5;

/** @param now ms since 1970, the end of open pieces */
export function axisOf(pieces: readonly Piece[], now: number, collapses: boolean): Axis {
  const spans = pieces.map(({ from, to = now, tone }) => ({ from, to: Math.max(from, to), isWait: tone === 'wait' }));
  const begin = Math.min(...spans.map(({ from }) => from));
  const end = Math.max(begin + 1, ...spans.map(({ to }) => to));
  const busy = spans.filter(({ isWait }) => !isWait).sort((one, other) => one.from - other.from);
  const holes = collapses ? holesIn(busy, begin, end) : [];
  const left = end - begin - holes.reduce((sum, { from, to }) => sum + to - from, 0);
  // The last sliver is for marks at the end: they have a width.
  const width = 98.8 - holes.length * GAP;
  const at = (time: number): number => {
    let [elapsed, gaps] = [0, 0];
    let cursor = begin;
    for (const { from, to } of holes) {
      if (time <= from) break;
      elapsed += from - cursor;
      gaps += GAP * Math.min(1, (time - from) / (to - from));
      cursor = Math.min(to, time);
    }
    elapsed += Math.max(0, Math.min(time, end) - cursor);
    return Math.min(100, (elapsed / Math.max(1, left)) * width + gaps);
  };
  const gaps = holes.map(({ from, to }) => ({ from: at(from), to: at(to), ms: to - from }));
  return { at, gaps, ticks: ticksOf({ begin, end, at, gaps }) };
}

/** Moments nearer to each other than this, in per cent of the axis, are one mark. */
const NEAR = 0.4;

/** The same lane with one mark where moments of one kind cannot be distinguished; failures stay unmerged. */
export function thinned({ name, pieces }: Lane, { at }: Pick<Axis, 'at'>): Lane {
  const kept: Piece[] = [];
  const last = new Map<string, { readonly left: number; readonly index: number; more: number }>();
  for (const piece of pieces) {
    const before = last.get(piece.tone);
    const left = at(piece.from);
    if (piece.isMoment !== true || piece.isFailure === true || before === undefined || left - before.left >= NEAR) {
      if (piece.isMoment === true) last.set(piece.tone, { left, index: kept.length, more: 0 });
      kept.push(piece);
      continue;
    }
    before.more += 1;
    const first = kept[before.index];
    if (first !== undefined) kept[before.index] = { ...first, further: before.more };
  }
  return { name, pieces: kept };
}

/** Times of more than a fifth of everything in which only waits are: at most six, the longest. */
function holesIn(
  busy: readonly { readonly from: number; readonly to: number }[],
  begin: number,
  end: number,
): readonly { readonly from: number; readonly to: number }[] {
  const holes: { from: number; to: number }[] = [];
  let cursor = begin;
  for (const { from, to } of [...busy, { from: end, to: end }]) {
    if (from > cursor) holes.push({ from: cursor, to: from });
    cursor = Math.max(cursor, to);
  }
  const long = holes
    .filter(({ from, to }) => to - from > (end - begin) / 5)
    .sort((one, other) => other.to - other.from - one.to + one.from);
  // A sliver on both sides stays, so that adjacent pieces are distinguished.
  const edge = (end - begin) / 200;
  return long
    .slice(0, 6)
    .map(({ from, to }) => ({ from: from + edge, to: to - edge }))
    .sort((one, other) => one.from - other.from);
}

/** Ticks at even positions; one that would be in a gap is at its end. */
function ticksOf({
  begin,
  end,
  at,
  gaps,
}: Pick<Axis, 'at' | 'gaps'> & { readonly begin: number; readonly end: number }): Axis['ticks'] {
  const places = Array.from({ length: TICKS }, (_unused, index) => (index * 100) / TICKS);
  return places
    .map((place) => timeAt(gaps.find(({ from, to }) => place >= from && place < to)?.to ?? place, { begin, end, at }))
    .map((time) => ({ at: at(time), text: `+${durationText(time - begin)}` }))
    .filter((tick, index, all) => index === 0 || tick.at - (all[index - 1]?.at ?? 0) > 12);
}

/** The time of a position, by halving: positions grow with time. */
function timeAt(
  place: number,
  { begin, end, at }: Pick<Axis, 'at'> & { readonly begin: number; readonly end: number },
): number {
  let [low, high] = [begin, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (at(middle) <= place) low = middle;
    else high = middle;
  }
  return place === 0 ? begin : high;
}

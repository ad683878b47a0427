import { Slices } from '@parley/sdk';
import { readText } from '../sentence.js';
import { type KnownSentences, knownSentences } from './known-sentences.js';
import { tfIdf } from '../vector.js';
import type { MergedDto, SummaryPartDto } from './merge.dto.js';

interface Point {
  readonly text: string;
  readonly sources: number[];
}

interface Said {
  readonly text: string;
  readonly terms: ReadonlyMap<string, number>;
  readonly source: number;
}

/** One list of sentences in the order of their sources; a sentence that says the same as an earlier one is cited there. */
export async function merged(parts: readonly SummaryPartDto[], signal: AbortSignal): Promise<MergedDto> {
  const said: Said[] = [];
  for (const [index, { summary }] of parts.entries()) {
    const { sentences } = await readText(summary, signal);
    // A summary without a full sentence is one point.
    const own = sentences.length > 0 ? sentences : [{ text: summary.trim(), terms: new Map<string, number>() }];
    said.push(...own.map(({ text, terms }) => ({ text, terms, source: index + 1 })));
  }
  const slices = new Slices(signal);
  const vectors = await tfIdf(
    said.map(({ terms }) => terms),
    slices,
  );
  const points: Point[] = [];
  const known: KnownSentences<Point> = knownSentences();
  for (const [index, { text, source }] of said.entries()) {
    const vector = vectors[index] ?? new Map<string, number>();
    const same = known.find(text, vector);
    if (same === undefined) {
      const point = { text, sources: [source] };
      points.push(point);
      known.add(text, vector, point);
    } else if (same.sources.at(-1) !== source) same.sources.push(source);
    await slices.pause();
  }
  return {
    points,
    names: parts.map(({ name }) => name),
    dropped: said.length - points.length,
  };
}

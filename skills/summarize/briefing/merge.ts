import { Slices } from 'parley/skill';
import { readText } from '../sentence.js';
import { similarity, tfIdf, type Vector } from '../vector.js';
import type { MergedDto, SummaryPartDto } from './merge.dto.js';

/** Two sentences that are more alike say the same. */
const SAME = 0.6;

interface Point {
  readonly text: string;
  readonly vector: Vector;
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
  for (const [index, { text, source }] of said.entries()) {
    const vector = vectors[index] ?? new Map<string, number>();
    const known = points.find((point) => point.text === text || similarity(point.vector, vector) >= SAME);
    if (known === undefined) points.push({ text, vector, sources: [source] });
    else if (!known.sources.includes(source)) known.sources.push(source);
    await slices.pause();
  }
  return {
    points: points.map(({ text, sources }) => ({ text, sources })),
    names: parts.map(({ name }) => name),
    dropped: said.length - points.length,
  };
}

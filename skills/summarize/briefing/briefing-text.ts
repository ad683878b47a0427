import type { MergedDto } from './merge.dto.js';
import type { Source } from './sources.js';

/** Sources of a briefing. */
export interface Briefed {
  readonly sources: readonly Source[];
  readonly parts: { readonly failed: readonly { readonly index: number; readonly reason: string }[] };
  readonly merged?: MergedDto;
}

/** The briefing as Markdown: its points with their sources, the list of sources, and a line for each that failed. */
export function briefingText({ sources, parts, merged }: Briefed): string {
  const points = merged?.points.map(
    ({ text, sources: from }) => `- ${text} ${from.map((at) => `[${String(at)}]`).join('')}`,
  );
  const cited = merged?.names.map((name, index) => `[${String(index + 1)}] ${name}`);
  const failed = parts.failed.map(({ index, reason }) => `- ${sources[index]?.name ?? ''}: ${reason}`);
  return [
    ...section('', points),
    ...section('Sources', cited),
    ...section('Not read', failed.length === 0 ? undefined : failed),
  ].join('\n\n');
}

function section(title: string, lines: readonly string[] | undefined): readonly string[] {
  if (lines === undefined) return [];
  return [...(title === '' ? [] : [`## ${title}`]), lines.join('\n')];
}

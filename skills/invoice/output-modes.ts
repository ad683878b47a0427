import { acceptsMode, artifact } from '@parley/sdk';
import type { ArtifactEvent } from '@parley/sdk';

/** Media types that the invoice skills write. */
export const OUTPUT_MODES = ['application/json', 'text/markdown', 'text/plain'];

/** Media types that they read. */
export const INPUT_MODES = ['application/pdf', 'application/xml', 'text/xml', 'application/json', 'text/plain'];

/** A result in its two forms: a value for programs, Markdown for people. */
export interface Result {
  readonly id: string;
  readonly name: string;
  readonly value: unknown;
  readonly markdown: string;
}

/** The artifacts of a result that the caller takes; `acceptedOutputModes` empty means all (A2A `SendMessageConfiguration`). */
export function artifactsOf(result: Result, accepted: readonly string[]): readonly ArtifactEvent[] {
  const text = textMode(accepted);
  return [
    ...(acceptsMode(accepted, 'application/json')
      ? [artifact(result.id, [{ data: result.value, mediaType: 'application/json' }], { name: result.name })]
      : []),
    ...(text === undefined
      ? []
      : [
          artifact(`${result.id}-summary`, [{ text: result.markdown, mediaType: text }], {
            name: `${result.name} (summary)`,
          }),
        ]),
  ];
}

/** Markdown reads well as plain text, so callers that accept only plain text get it under that type. */
function textMode(accepted: readonly string[]): string | undefined {
  return ['text/markdown', 'text/plain'].find((mode) => acceptsMode(accepted, mode));
}

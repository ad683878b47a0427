import { artifact } from 'parley/skill';
import type { ArtifactEvent } from 'parley/skill';

/** What the invoice skills write. */
export const OUTPUT_MODES = ['application/json', 'text/markdown'];

/** What they read. */
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
    ...(takes(accepted, 'application/json')
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
  return ['text/markdown', 'text/plain'].find((mode) => takes(accepted, mode));
}

function takes(accepted: readonly string[], mode: string): boolean {
  const [type = ''] = mode.split('/');
  const modes = accepted.map((each) => (each.split(';')[0] ?? '').trim().toLowerCase());
  return modes.length === 0 || modes.some((each) => each === mode || each === `${type}/*` || each === '*/*');
}

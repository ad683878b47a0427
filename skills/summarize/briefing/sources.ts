import type { RawPart, UrlPart } from '@parley/sdk';

/** A source of a briefing: a text, or a file that is still to be read. */
export interface Source {
  readonly name: string;
  readonly text?: string;
  readonly url?: string;
  /** Base64. */
  readonly raw?: string;
  readonly mediaType?: string;
}

/** Input of a caller. */
export interface Sent {
  readonly input: { readonly texts: readonly string[]; readonly sources: readonly string[] };
  readonly text: string;
  readonly files: readonly (RawPart | UrlPart)[];
}

/** All sources of a message, in the order in which they are cited: its text, its files, then those of the input. */
export function sourcesOf({ input, text, files }: Sent): readonly Source[] {
  const texts = [...(text.trim() === '' ? [] : [text]), ...input.texts];
  return [
    ...texts.map((each, index) => ({ name: `Text ${String(index + 1)}`, text: each })),
    ...files.map((file, index) => fileSource(file, `File ${String(index + 1)}`)),
    ...input.sources.map((url) => ({ name: url, url })),
  ];
}

function fileSource(file: RawPart | UrlPart, name: string): Source {
  const type = file.mediaType === undefined ? {} : { mediaType: file.mediaType };
  return 'raw' in file
    ? { name: file.filename ?? name, raw: file.raw, ...type }
    : { name: file.filename ?? file.url, url: file.url, ...type };
}

import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Part } from '@parley/protocol/model/message.js';
import { usageError } from '../context/cli-error.js';

/** A part as the command line names it, in the order of its flags. */
interface NamedPart {
  readonly kind: 'text' | 'file' | 'data';
  readonly value: string;
  mediaType?: string;
}

/** Media types of files by their ending, where the caller names none. */
const TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

/** Collects the parts of a message while the flags are read: their order is the order of the parts. */
export class MessageParts {
  private readonly named: NamedPart[] = [];

  readonly add =
    (kind: NamedPart['kind']) =>
    (value: string): string => {
      this.named.push({ kind, value });
      return value;
    };

  /** Binds to the part flag before it. @throws CliError usage without one */
  readonly mediaType = (value: string): string => {
    const last = this.named.at(-1);
    if (last === undefined) throw usageError('--media-type belongs behind the --text, --file or --data that it is of');
    last.mediaType = value;
    return value;
  };

  /** @param words positional text, which comes first */
  parts(words: readonly string[], stdin: () => string): readonly Part[] {
    const spoken: readonly Part[] = words.length === 0 ? [] : [{ text: words.join(' ') }];
    const parts = [...spoken, ...this.named.map((named) => partOf(named, stdin))];
    if (parts.length === 0) throw usageError('Say something: a text, --text, --file or --data');
    return parts;
  }
}

function partOf({ kind, value, mediaType }: NamedPart, stdin: () => string): Part {
  const typed = mediaType === undefined ? {} : { mediaType };
  switch (kind) {
    case 'text':
      return { text: value, ...typed };
    case 'data':
      return { data: jsonOf(value === '-' ? stdin() : readFile(pathOf(value)).toString('utf8'), value), ...typed };
    case 'file':
      return filePart(value, typed);
  }
}

/** A URL is passed on for the agent to fetch; a path becomes bytes. */
function filePart(value: string, typed: { readonly mediaType?: string }): Part {
  const inferred = TYPES[extname(value.split(/[?#]/)[0] ?? '').toLowerCase()];
  const type = { ...(inferred === undefined ? {} : { mediaType: inferred }), ...typed };
  if (/^https?:\/\//i.test(value)) return { url: value, ...type };
  return { raw: readFile(value).toString('base64'), filename: basename(value), ...type };
}

/** JSON in place of a path is a mistake that its error should name. */
function pathOf(value: string): string {
  if (/^\s*[[{"]/.test(value))
    throw usageError('Data is named by the path of a JSON file, or by - for the standard input');
  return value;
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw usageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function jsonOf(text: string, source: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const what = source === '-' ? 'stdin' : source;
    throw usageError(`${what} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

import type { SkillContext } from '@parley/sdk';
import type { FileFetcher } from '@parley/sdk';
import type { InvoiceDocument } from './invoice-document.js';
import { isWithin, JSON_LIMITS } from './json-size.js';
import { sniff } from './sniff.js';
import { UnreadableDocument } from './unreadable-document.js';

type File = SkillContext['files'][number];
type Sent = Pick<SkillContext, 'files' | 'data' | 'text' | 'signal'>;

export interface CollectOptions {
  readonly maxFileBytes: number;
  readonly fetcher: FileFetcher | undefined;
}

const NONE =
  'No invoice was sent. Send one PDF, XML or JSON file as a raw part, or the invoice as a data part of JSON or as text.';

/** The one document that the caller sent: a file, else a data part, else an invoice pasted as text. Throws `UnreadableDocument`. */
export async function collectDocument(sent: Sent, options: CollectOptions): Promise<InvoiceDocument> {
  const [file, ...otherFiles] = sent.files;
  if (otherFiles.length > 0) throw new UnreadableDocument('Several files were sent. Send one invoice per task.');
  if (file !== undefined) return fileDocument(file, sent.signal, options);
  const [value, ...otherValues] = sent.data;
  if (otherValues.length > 0) throw new UnreadableDocument('Several data parts were sent. Send one invoice per task.');
  if (value !== undefined) return { kind: 'value', name: 'The data part', value: bounded(value) };
  if (/^\s*[<{[]/u.test(sent.text) || isPage(sent.text))
    return sniff(sized(new TextEncoder().encode(sent.text), 'The text', options), 'The text');
  throw new UnreadableDocument(NONE);
}

/** A few lines with a figure among them are an invoice that was pasted; a sentence is an instruction about one. */
function isPage(text: string): boolean {
  const lines = text.split('\n', 50).filter((line) => line.trim() !== '');
  return lines.length > 2 && /\d/u.test(text);
}

async function fileDocument(file: File, signal: AbortSignal, options: CollectOptions): Promise<InvoiceDocument> {
  const name = nameOf(file);
  if ('raw' in file) {
    // Four characters of base64 are three bytes; a file that is too large is not even decoded.
    if ((file.raw.length / 4) * 3 - 3 > options.maxFileBytes) throw tooLarge(name, options);
    return sniff(sized(Buffer.from(file.raw, 'base64'), name, options), name);
  }
  if (options.fetcher === undefined) {
    throw new UnreadableDocument(
      `${name} was sent as an address. This agent does not fetch files; send the bytes as a raw part.`,
    );
  }
  return sniff(sized(await fetched(options.fetcher, file.url, { name, signal, ...options }), name, options), name);
}

async function fetched(
  fetcher: FileFetcher,
  url: string,
  {
    name,
    signal,
    maxFileBytes,
  }: { readonly name: string; readonly signal: AbortSignal; readonly maxFileBytes: number },
): Promise<Uint8Array> {
  try {
    return (await fetcher.fetch(url, { maxBytes: maxFileBytes, signal })).bytes;
  } catch (error) {
    signal.throwIfAborted();
    throw new UnreadableDocument(`${name} could not be fetched from its address.`, { cause: error });
  }
}

/** A value goes to the reading thread as a copy, which is made here, so its size is checked first. */
function bounded(value: unknown): unknown {
  if (!isWithin(value, JSON_LIMITS)) throw new UnreadableDocument('The data part has far more values than an invoice.');
  return value;
}

function sized(bytes: Uint8Array, name: string, options: CollectOptions): Uint8Array {
  if (bytes.length > options.maxFileBytes) throw tooLarge(name, options);
  return bytes;
}

function tooLarge(name: string, { maxFileBytes }: CollectOptions): UnreadableDocument {
  const limit = String(Math.floor(maxFileBytes / 2 ** 20));
  return new UnreadableDocument(`${name} is too large: at most ${limit} MB are read.`);
}

/** A name for messages: the file's own, without characters that could break a line or a page. */
function nameOf({ filename }: File): string {
  const name = (filename ?? '')
    .replace(/[^\p{L}\p{N} ._()-]/gu, '')
    .slice(0, 80)
    .trim();
  return name === '' ? 'The file' : name;
}

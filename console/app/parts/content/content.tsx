import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Part } from '../../api/content.js';
import { bytesText } from '../../view/format.js';
import { visible } from '../../view/unseen.js';
import { Check } from '../form/check.js';
import { Foreign, JsonText } from './hostile-text.js';
import { Markdown } from './markdown.js';
import { PdfPreview } from './pdf-preview.js';

/** Characters of one text that are shown at once. */
const SHOWN_TEXT = 20_000;
/** Characters of Markdown that are formatted. */
const SHOWN_MARKDOWN = 100_000;
/** Base64 characters of a file whose text is shown. */
const SHOWN_SOURCE = 1_400_000;
/** Base64 characters of an image or a PDF that is shown: 10 MiB. */
const SHOWN_PREVIEW = 13_981_016;

interface NamedParts {
  readonly artifactId: string;
  readonly name?: string | undefined;
  readonly parts?: readonly Part[] | undefined;
}

/** Artifacts of a task, each with its name. */
export function Artifacts({ artifacts = [] }: { readonly artifacts?: readonly NamedParts[] | undefined }): JSX.Element {
  return (
    <>
      {artifacts.map(({ artifactId, name, parts }) => (
        <div key={artifactId} class="artifact">
          <h3>
            <Foreign text={name ?? artifactId} />
          </h3>
          <Parts parts={parts} />
        </div>
      ))}
    </>
  );
}

export function Parts({ parts = [] }: { readonly parts?: readonly Part[] | undefined }): JSX.Element {
  return (
    <>
      {joined(parts).map((part, at) => (
        <OnePart key={at} part={part} />
      ))}
    </>
  );
}

/** Texts that follow each other are one: a streamed artifact has a part for each piece. */
function joined(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last?.text === undefined || part.text === undefined) all.push(part);
    else all[all.length - 1] = { ...last, text: last.text + part.text };
  }
  return all;
}

function OnePart({ part }: { readonly part: Part }): JSX.Element {
  const { text, raw, url, data, filename, mediaType } = part;
  if (text !== undefined) return isMarkdown(mediaType, filename) ? <Formatted text={text} /> : <LongText text={text} />;
  if (raw !== undefined) return <File base64={raw} name={filename} claimed={mediaType} />;
  if (url !== undefined) return <Address url={url} name={filename} />;
  return <JsonText text={JSON.stringify(data ?? null)} />;
}

function isMarkdown(mediaType: string | undefined, name: string | undefined): boolean {
  return (
    mediaType?.startsWith('text/markdown') === true || (mediaType === undefined && /\.(md|markdown)$/i.test(name ?? ''))
  );
}

/** Markdown as its elements, and as it is. A very long one is only text. */
function Formatted({ text }: { readonly text: string }): JSX.Element {
  const isPlain = useSignal(text.length > SHOWN_MARKDOWN);
  return (
    <>
      {isPlain.value ? <LongText text={text} /> : <Markdown text={text} />}
      {text.length > SHOWN_MARKDOWN ? null : (
        <Check
          isSmall
          isOn={isPlain.value}
          onChange={(isOn) => {
            isPlain.value = isOn;
          }}
        >
          As it is
        </Check>
      )}
    </>
  );
}

function LongText({ text }: { readonly text: string }): JSX.Element {
  const isWhole = useSignal(text.length <= SHOWN_TEXT);
  return (
    <>
      <div class="words">
        <Foreign text={isWhole.value ? text : text.slice(0, SHOWN_TEXT)} />
      </div>
      {isWhole.value ? null : (
        <button
          type="button"
          class="button"
          onClick={() => {
            isWhole.value = true;
          }}
        >
          Show all {bytesText(text.length)}
        </button>
      )}
    </>
  );
}

/** An address that an agent names is text: nothing is fetched from it, and its host is seen before it is opened. */
function Address({ url, name }: { readonly url: string; readonly name: string | undefined }): JSX.Element {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const canOpen = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  return (
    <p class="row">
      {name === undefined ? null : <Foreign text={name} />}
      <code>
        <Foreign text={url} />
      </code>
      {canOpen ? (
        <a class="button" href={parsed.href} target="_blank" rel="noopener noreferrer">
          Open at <Foreign text={parsed.host} />
        </a>
      ) : null}
    </p>
  );
}

/** First bytes of the displayable files; the declared type does not count. SVG can hold scripts and is none of them. */
const PREVIEWS = [
  ['application/pdf', /^%PDF-/],
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF....WEBP/s],
  ['image/avif', /^....ftypavi[fs]/s],
] as const;

function File({
  base64,
  name,
  claimed,
}: {
  readonly base64: string;
  readonly name: string | undefined;
  readonly claimed: string | undefined;
}): JSX.Element {
  const made = useSignal<Made | undefined>(undefined);
  const hash = useSignal<string | undefined>(undefined);
  const source = useMemo(() => sourceOf(base64, claimed), [base64, claimed]);
  useEffect(() => {
    const file = blobOf(base64);
    if (file === undefined) return undefined;
    const url = URL.createObjectURL(file.blob);
    made.value = { ...file, url };
    void hashOf(file.blob).then((found) => {
      hash.value = found;
    });
    return () => {
      URL.revokeObjectURL(url);
    };
  }, [base64]);
  const bytes = Math.floor((base64.length * 3) / 4);
  const { url, blob, type } = made.value ?? {};
  return (
    <figure class="stack">
      {type?.startsWith('image/') === true ? <img src={url} alt={visible(name ?? 'Image without a name')} /> : null}
      {type === 'application/pdf' && blob !== undefined ? (
        <PdfPreview blob={blob} name={name ?? 'a file without a name'} />
      ) : null}
      <figcaption class="row small">
        <strong>
          <Foreign text={name ?? 'File without a name'} />
        </strong>
        <span class="soft words">
          <Foreign text={claimed ?? 'no type'} />, {bytesText(bytes)}
        </span>
        {url === undefined ? null : (
          <a class="button" href={url} download={name ?? 'file'}>
            Download
          </a>
        )}
        {hash.value === undefined ? null : <code class="soft">sha256:{hash.value}</code>}
      </figcaption>
      {source === undefined ? null : isMarkdown(claimed, name) ? (
        <Formatted text={source} />
      ) : (
        <details>
          <summary>Show its text</summary>
          <LongText text={source} />
        </details>
      )}
    </figure>
  );
}

/** The text of a file that says that it is text: HTML and SVG are shown as the source that they are. */
function sourceOf(base64: string, claimed = ''): string | undefined {
  if (base64.length > SHOWN_SOURCE || !/^text\/|[/+](json|xml|yaml|csv|javascript)\b/.test(claimed)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

interface Made {
  readonly url: string;
  readonly blob: Blob;
  /** Of the shown part; undefined where only its name is shown. */
  readonly type: string | undefined;
}

function blobOf(base64: string): Omit<Made, 'url'> | undefined {
  try {
    const binary = atob(base64);
    const type =
      base64.length > SHOWN_PREVIEW ? undefined : PREVIEWS.find(([, magic]) => magic.test(binary.slice(0, 16)))?.[0];
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    // The address of a PDF is for its download only: no browser opens it in the page.
    const isImage = type?.startsWith('image/') === true;
    return { blob: new Blob([bytes], { type: isImage ? type : 'application/octet-stream' }), type };
  } catch {
    return undefined;
  }
}

/** The SHA-256 of a file; undefined where the page came over plain HTTP from another machine: browsers compute none there. */
async function hashOf(file: Blob): Promise<string | undefined> {
  if (!isSecureContext) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

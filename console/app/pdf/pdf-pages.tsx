import { useSignal } from '@preact/signals';
import type { JSX, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { numberText } from '../view/format.js';
import { useNear } from '../parts/list/near.js';
import { PdfFile, SHOWN_PAGES, sizeIn, UnshownPdf } from './pdf-file.js';

/** CSS pixels that a page is wide at most. */
const WIDEST = 900;

/** The pages of a PDF, one below the other. Visible ones are drawn; the others are released. */
export function PdfPages({ blob, name }: { readonly blob: Blob; readonly name: string }): JSX.Element {
  const file = useSignal<PdfFile | undefined>(undefined);
  const why = useSignal<string | undefined>(undefined);
  useEffect(() => {
    let opened: PdfFile | undefined;
    let isLeft = false;
    const open = async (): Promise<void> => {
      opened = await PdfFile.open(new Uint8Array(await blob.arrayBuffer()));
      if (isLeft) opened.close();
      else file.value = opened;
      await opened.failure;
    };
    open().catch((error: unknown) => {
      why.value = reasonOf(error);
    });
    return () => {
      isLeft = true;
      opened?.close();
    };
  }, [blob]);
  if (why.value !== undefined) return <p class="note">This PDF is not shown: {why.value}.</p>;
  if (file.value === undefined) {
    return (
      <p class="pdf-unread small soft" aria-busy="true">
        Reading the pages
      </p>
    );
  }
  return <Pages file={file.value} name={name} />;
}

function Pages({ file, name }: { readonly file: PdfFile; readonly name: string }): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.min(WIDEST, Math.floor(entry?.contentRect.width ?? 0));
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
    };
  }, []);
  const shown = Math.min(file.pages, SHOWN_PAGES);
  return (
    <>
      <div class="pdf" ref={scroller} tabIndex={0} role="region" aria-label={`Pages of ${name}`}>
        {width.value === 0
          ? null
          : Array.from({ length: shown }, (_unused, at) => (
              <Page key={at} file={file} number={at + 1} width={width.value} scroller={scroller} />
            ))}
      </div>
      {shown === file.pages ? null : (
        <p class="note">
          The first {numberText(shown)} of {numberText(file.pages)} pages are shown.
        </p>
      )}
    </>
  );
}

function Page({
  file,
  number,
  width,
  scroller,
}: {
  readonly file: PdfFile;
  readonly number: number;
  readonly width: number;
  readonly scroller: RefObject<HTMLElement | null>;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const { isNear } = useNear(box, { root: scroller, margin: '50% 0px' });
  const size = useSignal(sizeIn(file.shape, width));
  const why = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (!isNear || canvas.current === null || text.current === null) return undefined;
    const frame = { canvas: canvas.current, text: text.current, width };
    const leaving = new AbortController();
    file.draw(number, frame, leaving.signal).then(
      (drawn) => {
        size.value = drawn;
      },
      (error: unknown) => {
        if (!leaving.signal.aborted) why.value = reasonOf(error);
      },
    );
    return () => {
      leaving.abort();
      [frame.canvas.width, frame.canvas.height] = [0, 0];
      frame.text.replaceChildren();
    };
  }, [file, isNear, width]);
  const { width: wide, height } = size.value;
  const label = `Page ${numberText(number)} of ${numberText(file.pages)}`;
  return (
    <div
      class="pdf-page"
      ref={box}
      role="group"
      aria-label={label}
      style={{ width: `${String(wide)}px`, height: `${String(height)}px` }}
    >
      <canvas ref={canvas} width={0} height={0} aria-hidden="true" />
      <div class="pdf-text" ref={text} />
      {why.value === undefined ? null : <p class="pad">This page is not shown: {why.value}.</p>}
    </div>
  );
}

function reasonOf(error: unknown): string {
  return error instanceof UnshownPdf ? error.message : 'it cannot be read';
}

import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Rows above and below those that can be seen. */
const MARGIN = 4;
/** Tables with fewer rows have all of them in the document. */
const ALWAYS_WHOLE = 40;
/** Until a row was measured, px. */
const DEFAULT_HEIGHT = 41;

/** The part of a long table that is in the document. */
export interface Windowed {
  readonly first: number;
  /** The row behind the last one. */
  readonly end: number;
  /** Heights of the rows outside of the document, px. */
  readonly above: number;
  readonly below: number;
  readonly body: RefObject<HTMLTableSectionElement | null>;
}

/** Rows of a table near the visible area. Rows have one height. */
export function useWindowed(count: number): Windowed {
  const body = useRef<HTMLTableSectionElement>(null);
  const position = useSignal({ top: 0, height: DEFAULT_HEIGHT, seen: innerHeight });
  useEffect(() => {
    let asked = 0;
    const measure = (): void => {
      asked = 0;
      const { current } = body;
      if (current === null) return;
      const height = current.querySelector('tr[aria-rowindex]')?.getBoundingClientRect().height ?? DEFAULT_HEIGHT;
      const top = Math.round(current.getBoundingClientRect().top);
      const before = position.peek();
      if (before.top === top && before.height === height && before.seen === innerHeight) return;
      position.value = { top, height, seen: innerHeight };
    };
    const soon = (): void => {
      if (asked === 0) asked = requestAnimationFrame(measure);
    };
    soon();
    // Whatever scrolls: the page, or the part of it that has the table.
    document.addEventListener('scroll', soon, { capture: true, passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(asked);
      document.removeEventListener('scroll', soon, { capture: true });
      removeEventListener('resize', soon);
    };
  }, [count > ALWAYS_WHOLE]);
  if (count <= ALWAYS_WHOLE) return { first: 0, end: count, above: 0, below: 0, body };
  return { ...rangeOf(count, position.value), body };
}

/** @param position px of the top of the rows below that of the window, height of a row, and of the window */
export function rangeOf(
  count: number,
  { top, height, seen }: { readonly top: number; readonly height: number; readonly seen: number },
): Omit<Windowed, 'body'> {
  const most = Math.ceil(seen / height) + 2 * MARGIN;
  const first = Math.max(0, Math.min(count - most, Math.floor(-top / height) - MARGIN));
  const end = Math.min(count, first + most);
  return { first, end, above: first * height, below: (count - end) * height };
}

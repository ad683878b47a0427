import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Whether an element is near the visible area. */
export interface Nearness {
  readonly isNear: boolean;
  /** Of the element, px, when that was found out. */
  readonly height: number;
}

/** @param root the scrolling element; the window where there is none @param margin of IntersectionObserver */
export function useNear(
  element: RefObject<Element | null>,
  { root, margin }: { readonly root?: RefObject<Element | null>; readonly margin: string },
): Nearness {
  const near = useSignal<Nearness>({ isNear: false, height: 0 });
  useEffect(() => {
    if (element.current === null) return undefined;
    const onEntries: IntersectionObserverCallback = (entries) => {
      const last = entries.at(-1);
      if (last === undefined || last.isIntersecting === near.peek().isNear) return;
      near.value = { isNear: last.isIntersecting, height: last.boundingClientRect.height };
    };
    const observer = new IntersectionObserver(onEntries, { root: root?.current ?? null, rootMargin: margin });
    observer.observe(element.current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return near.value;
}

import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { numberText } from '../view/format.js';

export interface Tab {
  readonly name: string;
  readonly href: string;
  readonly isCurrent: boolean;
  /** How many things are there; shown beyond none. */
  readonly count?: number;
}

/** Views of one thing, each with its own address. On a narrow screen they are a row that scrolls. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }): JSX.Element {
  const nav = useRef<HTMLElement>(null);
  const current = tabs.find(({ isCurrent }) => isCurrent)?.href;
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ name, href, isCurrent, count = 0 }) => (
        <a key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
          {name}
          {count > 0 ? <span class="n">{numberText(count)}</span> : null}
        </a>
      ))}
    </nav>
  );
}

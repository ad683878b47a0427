import type { ComponentChildren, JSX } from 'preact';
import { type Loading, useLoad } from '../../api/use-load.js';
import { Shown } from '../states.js';

interface Props<T> {
  readonly title: string;
  /** Of the API. */
  readonly path: string;
  readonly everyMs: number;
  /** Actions at the end of the heading. */
  readonly actions?: (loading: Loading<T>) => ComponentChildren;
  readonly children: (data: T, reload: () => void) => ComponentChildren;
}

/** A screen that reads its data again and again, and says how often. */
export function Polled<T>({ title, path, everyMs, actions, children }: Props<T>): JSX.Element {
  const loading = useLoad<T>(path, everyMs);
  return (
    <>
      <PolledHead title={title} everyMs={everyMs}>
        {actions?.(loading)}
      </PolledHead>
      <Shown of={loading}>{(data) => children(data, loading.reload)}</Shown>
    </>
  );
}

interface HeadProps extends Pick<Props<unknown>, 'title' | 'everyMs'> {
  readonly children?: ComponentChildren;
}

/** The heading of such a screen. */
export function PolledHead({ title, everyMs, children }: HeadProps): JSX.Element {
  return (
    <header class="head">
      <h1>{title}</h1>
      <span class="soft small">Read every {String(everyMs / 1_000)} s</span>
      {children}
    </header>
  );
}

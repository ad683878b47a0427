import { computed, signal } from '@preact/signals';
import { BASE } from './base-path.js';

/** The address of the page, below `/console`. */
interface Route {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

export const route = signal<Route>(read());
export const segments = computed(() => route.value.path.split('/').filter(Boolean));

function read(): Route {
  const path = location.pathname.slice(BASE.length) || '/';
  return { path, query: Object.fromEntries(new URLSearchParams(location.search)) };
}

/** An address below `/console`, with the members of the query that are not empty. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') params.set(name, value);
  const text = params.toString();
  return `${BASE}${path}${text === '' ? '' : `?${text}`}`;
}

/** Number of pages opened here: the way back has as many steps. */
let opened = 0;

export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (!replace) opened += 1;
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  const before = route.value.path;
  route.value = read();
  if (before !== route.value.path) window.scrollTo(0, 0);
}

/** Goes back to the page before, or to the list where the tab began with this one. */
export function goUp(): void {
  if (segments.value.length < 2) return;
  if (opened > 0) history.back();
  else navigate(hrefOf(`/${segments.value[0] ?? 'tasks'}`));
}

/** Changes members of the query and keeps the others. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  navigate(hrefOf(route.value.path, { ...route.value.query, ...changes }), { replace: true });
}

/** Follows links of the console without loading the page again. */
export function watchLinks(): void {
  window.addEventListener('popstate', () => {
    opened = Math.max(0, opened - 1);
    route.value = read();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isOther = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (link === null || isOther || event.defaultPrevented || link.target !== '') return;
    if (link.origin !== location.origin || !link.pathname.startsWith(BASE) || link.hash !== '') return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}

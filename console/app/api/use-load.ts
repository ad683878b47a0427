import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { getJson } from './request.js';

/** Data of a screen. Old data stays while it is read again. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
}

export interface Loading<T> {
  readonly state: Signal<Loaded<T>>;
  readonly reload: () => void;
}

type Read<T> = (path: string, signal: AbortSignal) => Promise<T>;

/**
 * Reads a path of the API, again when it changes, when `reload` is called, and every `everyMs`.
 * @param path undefined: nothing is read
 * @param read default: as JSON, from a path of the API
 */
export function useLoad<T>(path: string | undefined, everyMs = 0, read: Read<T> = getJson): Loading<T> {
  const state = useSignal<Loaded<T>>({ data: undefined, error: undefined, isLoading: true });
  const wanted = useSignal(0);
  const last = useRef<string | undefined>(undefined);
  const asked = useSignal(path);
  asked.value = path;
  useSignalEffect(() => {
    const [from] = [asked.value, wanted.value];
    if (from === undefined) return undefined;
    const end = new AbortController();
    const kept = last.current === from ? state.peek().data : undefined;
    last.current = from;
    state.value = { data: kept, error: undefined, isLoading: true };
    read(from, end.signal).then(
      (data) => {
        state.value = { data, error: undefined, isLoading: false };
      },
      (error: unknown) => {
        if (!end.signal.aborted) state.value = { data: kept, error: errorOf(error), isLoading: false };
      },
    );
    return () => {
      end.abort();
    };
  });
  const reload = (): void => {
    wanted.value += 1;
  };
  useEffect(() => {
    if (everyMs === 0) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [everyMs]);
  return { state, reload };
}

export function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

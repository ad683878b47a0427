import { createContext } from 'preact';
import { getJson } from './request.js';

/** Where the pages of a task read what they show: the service, or a bundle that was opened. */
export interface TaskSource {
  /** Addresses of its tasks begin with it. */
  readonly base: '/tasks' | '/bundle';
  /** Whether tasks may change, and can be acted on. */
  readonly isLive: boolean;
  /** @param path of the API */
  readonly read: <T>(path: string, signal?: AbortSignal) => Promise<T>;
}

export const Source = createContext<TaskSource>({ base: '/tasks', isLive: true, read: getJson });

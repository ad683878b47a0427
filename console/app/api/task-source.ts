import { createContext } from 'preact';
import type { Bundle } from '../../../src/snapshots/bundle-lines.js';
import { getJson } from './request.js';
import type { TaskDetails } from './types.js';

/** Where the pages of a task read what they show: the service, or a bundle that was opened. */
export interface TaskSource {
  /** Addresses of its tasks begin with it. */
  readonly base: '/tasks' | '/bundle';
  /** Whether tasks may change, and can be acted on. */
  readonly isLive: boolean;
  /** @param path of the API */
  readonly read: <T>(path: string, signal?: AbortSignal) => Promise<T>;
  /** The bundle that was opened; absent for the service. */
  readonly bundle?: Bundle<TaskDetails>;
}

export const Source = createContext<TaskSource>({ base: '/tasks', isLive: true, read: getJson });

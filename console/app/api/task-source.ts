import { createContext } from 'preact';
import type { Bundle } from '../../../src/admin/snapshots/bundle-lines.js';
import { getJson } from './request.js';
import type { TaskDetails } from './types.js';

/** Data source of a task's pages: the service, or an opened bundle. */
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

import type { CloudEvent } from '@parley/protocol/extension/cloud-event.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import type { CallTrace } from '../../platform/tracing/trace-carrier.js';
import type { ClaimedRun } from '../commit/claimed-run.js';

/** An event published by a task, with all data of that task for its subscribers' tasks. */
export interface PublishedEvent {
  readonly event: CloudEvent;
  readonly owner: string;
  readonly tenant: string;
  readonly client: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly dialect: ProtocolVersion;
  readonly trace: CallTrace;
  readonly isCounted: boolean;
  /** Number of published events that led to it, itself included. */
  readonly hops: number;
  /** Whether the task was simulated: its subscribers' tasks then are too. */
  readonly isSimulated?: true;
}

/** JSON of a run's publication. */
export function publishedText(run: ClaimedRun, event: CloudEvent): string {
  const { owner, tenant, client, subject, scopes, dialect, trace, traits, hops, isSimulated } = run;
  const published: PublishedEvent = {
    ...{ event, owner, tenant, client, subject, scopes, dialect, trace },
    ...{ isCounted: traits.client !== undefined, hops: hops + 1 },
    ...(isSimulated ? { isSimulated } : {}),
  };
  return JSON.stringify(published);
}

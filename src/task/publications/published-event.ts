import type { CloudEvent } from '@parley/protocol/extension/cloud-event.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import type { CallTrace } from '../../platform/tracing/trace-carrier.js';
import type { ClaimedRun } from '../commit/claimed-run.js';

/** An event that a task has published, and all that tasks of its subscribers have of that task. */
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
  /** How many published events led to it, itself included. */
  readonly hops: number;
  /** Whether the task was simulated, as those of its subscribers are then. */
  readonly isSimulated?: true;
}

/** JSON of what a run publishes. */
export function publishedText(run: ClaimedRun, event: CloudEvent): string {
  const { owner, tenant, client, subject, scopes, dialect, trace, traits, hops, isSimulated } = run;
  const published: PublishedEvent = {
    ...{ event, owner, tenant, client, subject, scopes, dialect, trace },
    ...{ isCounted: traits.client !== undefined, hops: hops + 1 },
    ...(isSimulated ? { isSimulated } : {}),
  };
  return JSON.stringify(published);
}

import { Module } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { ContextStore } from './values/context.store.js';
import { EventWebhooks } from './publications/event-webhooks.store.js';
import { EventLog } from './commit/event-log.js';
import { LiveEvents } from './commit/live-events.js';
import { MirrorStore } from './tree/mirror.store.js';
import { DecisionStore } from './questions/decision.store.js';
import { OperatorValues } from './values/operator-values.store.js';
import { PublishedEvents } from './publications/published-events.store.js';
import { QuestionStore } from './questions/question.store.js';
import { FairQueue } from './store/fair-queue.js';
import { RunStore } from './commit/run.store.js';
import { SenderStore } from './questions/sender.store.js';
import { ServedPosition } from './store/served-position.js';
import { SweepStore } from './store/sweep.store.js';
import { StoredBytes } from './lists/stored-bytes.js';
import { TaskGauges } from './lists/task-gauges.js';
import { TaskIndex } from './lists/task-index.js';
import { TaskOwners } from './lists/task-owners.js';
import { QuotaStates } from './lists/quota-states.js';
import { TaskStore } from './store/task.store.js';
import { CancelCascade } from './tree/cancel-cascade.js';
import { TreeInspector } from './lists/tree-inspector.js';
import { TreeStore } from './tree/tree.store.js';

const SERVICES = [
  TaskStore,
  RunStore,
  TreeStore,
  CancelCascade,
  MirrorStore,
  TreeInspector,
  QuestionStore,
  DecisionStore,
  PublishedEvents,
  EventWebhooks,
  SweepStore,
  EventLog,
  ContextStore,
  OperatorValues,
  SenderStore,
  StoredBytes,
  TaskIndex,
  TaskOwners,
  QuotaStates,
  LiveEvents,
  FairQueue,
];

/** Owns task state in Redis: keys, scripts, event log. Knows nothing of queues, HTTP, skills or webhooks. */
@Module({
  imports: [RedisModule, MetricsModule],
  providers: [ServedPosition, TaskGauges, ...SERVICES],
  exports: SERVICES,
})
export class TaskModule {}

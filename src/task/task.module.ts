import { Module } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { ContextStore } from './context.store.js';
import { EventWebhooks } from './event-webhooks.store.js';
import { EventLog } from './event-log.js';
import { LiveEvents } from './live-events.js';
import { MirrorStore } from './mirror.store.js';
import { DecisionStore } from './decision.store.js';
import { OperatorValues } from './operator-values.store.js';
import { PublishedEvents } from './published-events.store.js';
import { QuestionStore } from './question.store.js';
import { FairQueue } from './fair-queue.js';
import { RunStore } from './run.store.js';
import { SenderStore } from './sender.store.js';
import { ServedPosition } from './served-position.js';
import { SweepStore } from './sweep.store.js';
import { StoredBytes } from './stored-bytes.js';
import { TaskGauges } from './task-gauges.js';
import { TaskIndex } from './task-index.js';
import { TaskOwners } from './task-owners.js';
import { QuotaStates } from './quota-states.js';
import { TaskStore } from './task.store.js';
import { CancelCascade } from './cancel-cascade.js';
import { TreeInspector } from './tree-inspector.js';
import { TreeStore } from './tree.store.js';

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

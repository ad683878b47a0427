import type { Scenario } from './scenario.js';
import { answers } from './scenario/answers.js';
import { api } from './scenario/api.js';
import { callbacks } from './scenario/callbacks.js';
import { cancel } from './scenario/cancel.js';
import { cascade } from './scenario/cascade.js';
import { coordinator } from './scenario/coordinator.js';
import { drain } from './scenario/drain.js';
import { fanout } from './scenario/fanout.js';
import { local } from './scenario/local.js';
import { mcp } from './scenario/mcp.js';
import { neighbours } from './scenario/neighbours.js';
import { outage } from './scenario/outage.js';
import { points } from './scenario/points.js';
import { poison } from './scenario/poison.js';
import { progress } from './scenario/progress.js';
import { questions } from './scenario/questions.js';
import { recovery } from './scenario/recovery.js';
import { redis } from './scenario/redis.js';
import { remote } from './scenario/remote.js';
import { sentinel } from './scenario/sentinel.js';
import { soak } from './scenario/soak.js';
import { stopped } from './scenario/stopped.js';
import { streams } from './scenario/streams.js';
import { takeback } from './scenario/takeback.js';
import { trees } from './scenario/trees.js';
import { waiting } from './scenario/waiting.js';
import { wakes } from './scenario/wakes.js';
import { webhookCrashes } from './scenario/webhook-crashes.js';
import { webhooks } from './scenario/webhooks.js';
import { workers } from './scenario/workers.js';

/** The table of docs/reliability.md, in its order. */
export const TABLE: readonly Scenario[] = [
  workers,
  redis,
  api,
  streams,
  poison,
  neighbours,
  outage,
  sentinel,
  drain,
  recovery,
  cancel,
  waiting,
  local,
  stopped,
  points,
  wakes,
  progress,
  trees,
  takeback,
  fanout,
  questions,
  answers,
  cascade,
  remote,
  callbacks,
  mcp,
  coordinator,
];

export const SCENARIOS: readonly Scenario[] = [...TABLE, webhooks, webhookCrashes, soak];

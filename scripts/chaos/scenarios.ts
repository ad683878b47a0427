import type { Scenario } from './scenario.js';
import { answers } from './scenario/caller/answers.js';
import { api } from './scenario/caller/api.js';
import { callbacks } from './scenario/outside/callbacks.js';
import { cancel } from './scenario/tree/cancel.js';
import { cascade } from './scenario/tree/cascade.js';
import { coordinator } from './scenario/tree/coordinator.js';
import { drain } from './scenario/caller/drain.js';
import { fanout } from './scenario/tree/fanout.js';
import { local } from './scenario/run/local.js';
import { mcp } from './scenario/outside/mcp.js';
import { neighbours } from './scenario/run/neighbours.js';
import { outage } from './scenario/redis/outage.js';
import { points } from './scenario/run/points.js';
import { poison } from './scenario/run/poison.js';
import { progress } from './scenario/run/progress.js';
import { questions } from './scenario/caller/questions.js';
import { recovery } from './scenario/redis/recovery.js';
import { redis } from './scenario/redis/redis.js';
import { remote } from './scenario/outside/remote.js';
import { sentinel } from './scenario/redis/sentinel.js';
import { soak } from './scenario/run/soak.js';
import { stopped } from './scenario/redis/stopped.js';
import { streams } from './scenario/caller/streams.js';
import { takeback } from './scenario/run/takeback.js';
import { trees } from './scenario/tree/trees.js';
import { waiting } from './scenario/caller/waiting.js';
import { wakes } from './scenario/redis/wakes.js';
import { webhookCrashes } from './scenario/outside/webhook-crashes.js';
import { webhooks } from './scenario/outside/webhooks.js';
import { workers } from './scenario/run/workers.js';

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

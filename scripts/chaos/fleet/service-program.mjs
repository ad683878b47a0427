// The built service as it is, but with the skills of the chaos proof and without rates: one caller does the work of
// thousands here. With CHAOS_STANDBY it loads everything, says so, and starts when a line comes on its standard input.
import { once } from 'node:events';
import 'reflect-metadata';
import { start } from '../../../dist/main/start.js';
import { RunQueue } from '../../../dist/runs/queue/run.queue.js';
import { CHAOS_SKILLS } from './chaos.skills.mjs';
import { installKillPoint } from './kill-points.mjs';
import { reportVitals } from './report-vitals.mjs';

if (process.env.CHAOS_STANDBY !== undefined) {
  process.stdout.write('standby\n');
  await once(process.stdin, 'data');
  process.stdin.destroy();
}
if (process.env.CHAOS_VITALS !== undefined) reportVitals();
if (process.env.CHAOS_KILL_AT !== undefined) installKillPoint(process.env.CHAOS_KILL_AT);
// No wake-up becomes a job of BullMQ: it is lost before it is sent.
if (process.env.CHAOS_NO_JOBS !== undefined) RunQueue.prototype.addJobs = () => Promise.resolve();
const endless = (name) => ({ name, limit: 1e9, periodSeconds: 1, burst: 1e9 });
const many = 1e9;
await start({
  skills: CHAOS_SKILLS,
  task: JSON.parse(process.env.CHAOS_TASK_OPTIONS ?? '{}'),
  limits: {
    ...{ write: endless('write'), read: endless('read'), address: endless('address'), failure: endless('failure') },
    quotas: {
      ...{ liveTasksPerClient: many, waitingTasksPerTenant: many, pushConfigsPerTask: 10 },
      ...{ streamsPerClient: many, streamsPerTenant: many, streamsPerProcess: many },
      ...{ waitingCallsPerClient: many, waitingCallsPerTenant: many },
    },
  },
});

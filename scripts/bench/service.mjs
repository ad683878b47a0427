// The built service with the skills of the benchmark, and with rates that are counted but never reached.
import 'reflect-metadata';
import { start } from '../../dist/main/start.js';
import { BENCH_SKILLS, mcpSkills } from './system/bench.skills.mjs';
import { reportMemory } from './system/memory.mjs';

const endless = (name) => ({ name, limit: 1e9, periodSeconds: 1, burst: 1e9 });
const many = 1e9;
const { BENCH_TOOLS } = process.env;
reportMemory();
await start({
  skills: BENCH_TOOLS === undefined ? BENCH_SKILLS : mcpSkills(Number(BENCH_TOOLS)),
  limits: {
    ...{ write: endless('write'), read: endless('read'), address: endless('address'), failure: endless('failure') },
    quotas: {
      ...{ liveTasksPerClient: many, waitingTasksPerTenant: many, pushConfigsPerTask: 10 },
      ...{ streamsPerClient: many, streamsPerTenant: many, streamsPerProcess: many },
      ...{ waitingCallsPerClient: many, waitingCallsPerTenant: many },
    },
  },
});

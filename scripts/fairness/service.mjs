// The built service with one skill, whose runs take a known time, and with rates and quotas that are never reached.
import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { artifact } from '@parley/sdk/skill/events.js';
import { Skill } from '@parley/sdk/skill/skill.js';
import { start } from '../../dist/main/start.js';

class RestSkill {
  async *run({ text }) {
    await pause(Number(text));
    yield artifact('rested', text);
  }
}
Skill({ id: 'rest', name: 'Rest', description: 'Takes as many ms as the text says.', tags: ['bench'] })(RestSkill);

const endless = (name) => ({ name, limit: 1e9, periodSeconds: 1, burst: 1e9 });
const many = 1e9;
await start({
  skills: [RestSkill],
  limits: {
    ...{ write: endless('write'), read: endless('read'), address: endless('address'), failure: endless('failure') },
    quotas: {
      ...{ liveTasksPerClient: many, waitingTasksPerTenant: many, pushConfigsPerTask: 10 },
      ...{ streamsPerClient: many, streamsPerTenant: many, streamsPerProcess: many },
      ...{ waitingCallsPerClient: many, waitingCallsPerTenant: many },
    },
  },
});

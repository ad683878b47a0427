import type { BenchCase } from '../bench-case.js';
import type { Lab, Load } from '../system/lab.js';
import { Rounds, warmUp } from '../report/rounds.js';
import { rpcBody } from '../load/rpc.js';
import type { System } from '../system/system.js';

const what = 'POST /run against a blocking SendMessage, 32 connections';
const RATIO = 'processor time of POST /run, × that of SendMessage';

const inputs = { text: 'Hello' };
const send: Load = {
  ...{ connections: 32, expected: 'TASK_STATE_COMPLETED' },
  body: rpcBody('SendMessage', {
    message: { messageId: '[<id>]', role: 'ROLE_USER', parts: [{ data: inputs }], metadata: { skillId: 'typed' } },
  }),
};
const run: Load = { ...{ connections: 32, expected: '"echo"' }, path: '/run', body: { intent: 'typed', inputs } };

/** Cost of the endpoint of intents beyond the operation behind it. */
export const intents: BenchCase = {
  name: 'intents',
  what,
  goals: [{ case: what, figure: RATIO, system: 'parley', atMost: 1.1 }],

  async run(lab) {
    const rounds = new Rounds(what);
    const systems = await lab.startAll(['parley']);
    for (const system of systems) {
      for (const load of [send, run]) await warmUp(lab, system, load);
      for (let round = 0; round < lab.effort.rounds; round += 1) {
        const cost = new Map<Load, number>();
        // Each is first in every other round: the second costs up to a tenth more.
        for (const load of round % 2 === 0 ? [send, run] : [run, send]) cost.set(load, await costOf(lab, system, load));
        const [sent = 0, ran = 0] = [cost.get(send), cost.get(run)];
        rounds.add('SendMessage, processor time, µs', 'parley', sent);
        rounds.add('POST /run, processor time, µs', 'parley', ran);
        rounds.add(RATIO, 'parley', ran / sent);
      }
    }
    return rounds.measures;
  },
};

/** Processor time of a request in µs, Redis included. */
async function costOf(lab: Lab, system: System, load: Load): Promise<number> {
  const before = await system.processorMs();
  const { count } = await lab.load(system, load);
  await system.quiet();
  const after = await system.processorMs();
  return ((after.node - before.node + (after.redis ?? 0) - (before.redis ?? 0)) * 1000) / count;
}

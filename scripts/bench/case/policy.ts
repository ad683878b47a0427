import { Policy } from '../../../src/policy/policy.js';
import type { BenchCase } from '../bench-case.js';
import { Rounds } from '../report/rounds.js';

const RULES = 100;
const CALLERS = 20_000;

const what = `a check of a policy of ${String(RULES)} rules about calls and as many about memory`;
const CALL = 'may the caller call, first time, µs';
const KEY = 'may one of 100 callers have the key, µs';

/** Cost of the policy for each call. */
export const policy: BenchCase = {
  name: 'policy',
  what,
  goals: [
    { case: what, figure: CALL, system: 'parley', atMost: 20 },
    { case: what, figure: KEY, system: 'parley', atMost: 20 },
  ],

  run(lab) {
    const rounds = new Rounds(what);
    for (let round = 0; round < lab.effort.rounds; round += 1) {
      const rules = aPolicy();
      const caller = (at: number): { tenant: string; client: string } => ({
        tenant: 'acme',
        client: `agent_${String(at)}`,
      });
      rounds.add(
        CALL,
        'parley',
        microseconds((at) => rules.mayCall(caller(at), 'pay_42')),
      );
      rounds.add(
        'may the caller call, again, µs',
        'parley',
        microseconds((at) => rules.mayCall(caller(at % 100), 'pay_42')),
      );
      rounds.add(
        KEY,
        'parley',
        microseconds((at) => rules.mayHave(caller(at % 100), 'summary.length')),
      );
    }
    return Promise.resolve(rounds.measures);
  },
};

/** Every rule has to be checked: only the last one concerns the call. */
function aPolicy(): Policy {
  const numbers = Array.from({ length: RULES }, (_none, at) => String(at));
  return new Policy({
    intents: numbers.map((at) => ({
      name: `i${at}`,
      tenants: ['ac*', 'other'],
      intents: [`pay_${at}`, `read_*_${at}`],
      allow: ['agent_*'],
      deny: [`bad_${at}_*`],
    })),
    memory: numbers.map((at) => ({
      name: `m${at}`,
      callers: ['agent_*'],
      allow: ['summary.*'],
      deny: [`payment.card_${at}*`],
    })),
  });
}

/** Processor time of a check: other load of the machine does not count. */
function microseconds(check: (at: number) => unknown): number {
  const began = process.cpuUsage();
  for (let at = 0; at < CALLERS; at += 1) check(at);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / CALLERS;
}

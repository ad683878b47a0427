import 'reflect-metadata';
import { HostedContext } from '@parley/sdk/skill/context/hosted-context.js';
import { ContractedSkill } from '@parley/sdk/skill/contract/contracted-skill.js';
import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { type SkillClass, skillOptionsOf } from '@parley/sdk/skill/skill.js';
import { SandboxHost } from './sandbox-host.js';
import { packError } from './sandbox-error.js';
import type { FromSandbox, ToSandbox } from './sandbox-message.js';

/** The program of a sandbox: runs one turn of one skill for the process that started it, and ends with that process. */
const host = new SandboxHost(send);
let events: Promise<AsyncGenerator<SkillEvent, void, void>> | undefined;

process.on('message', (message: ToSandbox) => {
  switch (message.kind) {
    case 'start':
      events = start(message);
      return;
    case 'next':
      void answer();
      return;
    case 'abort':
    case 'answered':
    case 'work':
      host.receive(message);
  }
});
process.on('disconnect', () => process.exit());

async function start(message: ToSandbox & { kind: 'start' }): Promise<AsyncGenerator<SkillEvent, void, void>> {
  const exports = (await import(message.module)) as Readonly<Record<string, SkillClass | undefined>>;
  const skill = exports[message.exportName];
  const options = skill && skillOptionsOf(skill);
  if (skill === undefined || options === undefined) {
    throw new Error(`${message.module} exports no skill ${message.exportName}`);
  }
  return new ContractedSkill(options, new skill()).run(new HostedContext(host.of(message.turn)));
}

async function answer(): Promise<void> {
  try {
    const result = await (await events)?.next();
    send(result?.done === false ? { kind: 'event', event: result.value } : { kind: 'done' });
  } catch (error) {
    send({ kind: 'threw', error: packError(error) });
  }
}

function send(message: FromSandbox): void {
  process.send?.(message);
}

import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';

/** What a scripted skill does at one point: says an event, waits in milliseconds, or breaks. */
export type Step =
  | SkillEvent
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'fail'; readonly text: string }
  | { readonly kind: 'break'; readonly text: string }
  /** Says what it was given, as the data of an artifact. */
  | { readonly kind: 'tell' };

/** The steps of the latest message, in its metadata under `script`; none completes the task. */
async function* play(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
  const { script = [] } = (context.messages.at(-1)?.metadata ?? {}) as { readonly script?: readonly Step[] };
  for (const step of script) {
    if (step.kind === 'wait') await pause(step.ms, context.signal);
    else if (step.kind === 'fail') throw new SkillFailure(step.text);
    else if (step.kind === 'break') throw new Error(step.text);
    else yield step.kind === 'tell' ? told(context) : step;
  }
}

const card = { description: 'Does what its message says.', tags: ['test'], maxAttempts: 1 };

@Skill({ ...card, id: 'scripted', name: 'Scripted', inputModes: ['text/plain', 'application/json'] })
export class ScriptedSkill implements SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return play(context);
  }
}

/** The same, but it answers with a Message. */
@Skill({ ...card, id: 'direct', name: 'Direct', direct: true })
export class DirectSkill implements SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return play(context);
  }
}

/** Takes data only. */
@Skill({ ...card, id: 'data_only', name: 'Data only', inputModes: ['application/json'] })
export class DataOnlySkill implements SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return play(context);
  }
}

/** Throws an unexpected error, at once and in the process that received the request. */
@Skill({ ...card, id: 'broken', name: 'Broken', direct: true })
export class BrokenSkill implements SkillHandler {
  // eslint-disable-next-line require-yield
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    throw new Error('an unexpected fault');
  }
}

export const SCRIPTED = { skills: [ScriptedSkill, DirectSkill, DataOnlySkill, BrokenSkill] };

function told({ history, messages, metadata, acceptedOutputModes, turn }: SkillContext): SkillEvent {
  const data = { history, messages, metadata, acceptedOutputModes, turn };
  return { kind: 'artifact', artifactId: 'told', parts: [{ data }], append: false, lastChunk: true };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
  signal.throwIfAborted();
}

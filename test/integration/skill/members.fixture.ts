import { CallFailed } from '@parley/sdk/skill/calls/call.js';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';

/** Calls of the functions of a context, each with a result that does not depend on its host. */
const USES: Readonly<Record<string, (context: SkillContext) => unknown>> = {
  senders: async ({ senders }) => (await senders()).length,
  'state.get': async ({ state }) => (await state.get('none')) ?? 'nothing',
  'state.set': async ({ state }) => {
    await state.set('count', 1);
    return state.get('count');
  },
  'shared context': ({ shared }) => shared('context').setIfAbsent('first', 'kept'),
  'shared.set': async ({ shared }) => {
    await shared().set('tree', 2);
    return shared().get('tree');
  },
  'shared user': ({ shared }) => shared('user').setIfAbsent('first', 'mine'),
  'shared temp': ({ shared }) => shared('temp').setIfAbsent('first', 'fleeting'),
  'shared app': ({ shared }) => shared('app').set('first', 'x'),
  step: ({ step }) => step('one', async () => 'worked'),
  sleep: ({ sleep }) => sleep(1).then(() => 'slept'),
  now: async ({ now }) => (await now()) > 0,
  random: async ({ random }) => (await random()) < 1,
  fetch: ({ fetch }) => fetch('https://none.example').catch(() => 'refused'),
  'tools.call': ({ tools }) => tools.call('server', 'tool'),
  log: ({ log }) => {
    log.info('said');
    return 'logged';
  },
  waitFor: async ({ waitFor }) => (await waitFor({ timeoutMs: 1 })) ?? 'nobody',
  ask: async ({ ask }) => (await ask({ question: '?', timeoutMs: 1, onTimeout: { value: 'late' } })).value,
  publish: ({ publish }) => {
    publish('tested.once');
    return 'published';
  },
  'artifacts.put': async ({ artifacts }) => (await artifacts.put('a', 'content')).replace(/^artifact:.*\//, ''),
  'artifacts.get': async ({ artifacts }) => (await artifacts.get(NO_ARTIFACT)) ?? 'nothing',
  'artifacts.references': async ({ artifacts }) => (await artifacts.references()).length,
  call: ({ call }) => call('nobody').catch(whyOf),
  transfer: ({ transfer }) => transfer('nobody', 'x').catch(whyOf),
  all: ({ all, call }) => all([call('nobody')]).catch(whyOf),
  map: ({ map, call }) => map(['x'], (item) => call('nobody', item)).catch(whyOf),
  first: ({ first, call }) => first([call('nobody')]).catch(whyOf),
};

const NO_ARTIFACT = 'artifact:00000000-0000-4000-8000-000000000000/offers@1';

/** Uses every function of its context, alone and within a step, and yields their results. */
@Skill({ id: 'members', name: 'Members', description: 'For tests', tags: [] })
export class MembersSkill implements SkillHandler {
  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const { text, data, files, caller, requestId, acceptedOutputModes, turn, attempt, principal } = context;
    const facts = {
      text,
      data,
      files,
      caller,
      requestId,
      acceptedOutputModes,
      turn,
      attempt,
      tenant: principal.tenant,
    };
    const outcomes: Record<string, unknown> = {};
    for (const [name, use] of Object.entries(USES)) outcomes[name] = await outcomeOf(() => use(context));
    const inStep: Record<string, unknown> = {};
    for (const [name, use] of Object.entries(USES)) {
      if (name === 'step') continue;
      inStep[name] = await context.step(`in ${name}`, () => outcomeOf(() => use(context)));
    }
    yield completed(JSON.stringify({ facts, outcomes, inStep }));
  }
}

async function outcomeOf(use: () => unknown): Promise<unknown> {
  try {
    return await use();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function whyOf(error: unknown): string {
  if (error instanceof CallFailed) return error.why;
  throw error;
}

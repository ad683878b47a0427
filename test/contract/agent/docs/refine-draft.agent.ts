import { Agent, call, FlowAgent, loop, type LoopValue, result, sequential } from '@parley/sdk/agent';

interface State {
  readonly draft: string;
  readonly drafts: LoopValue;
}

/** A loop: refines a draft until it is final, at most three times. */
@Agent({
  id: 'refine_draft',
  name: 'Refine a draft',
  description: 'Improves a text until it says that it is final.',
  tags: ['text', 'agent'],
})
export class RefineDraftAgent extends FlowAgent {
  readonly flow = sequential<State>(
    loop({
      as: 'drafts',
      body: call('improve_draft', { as: 'draft' }),
      until: ({ draft }) => draft.includes('final'),
      maxIterations: 3,
    }),
    result('draft', ({ drafts, draft }) => `${draft} (${drafts.outcome} after ${String(drafts.rounds)})`),
  );
}

import { Agent, call, FlowAgent, from, parallel, result, sequential } from '@parley/sdk/agent';

interface State {
  readonly views: { readonly mood: string; readonly keywords: string };
}

/** An ensemble: several views of one text at the same time, and an explicit merge. */
@Agent({
  id: 'analyze_text',
  name: 'Analyze a text',
  description: 'Says how a text feels, and what it is about.',
  tags: ['text', 'agent'],
})
export class AnalyzeTextAgent extends FlowAgent {
  readonly flow = sequential<State>(
    parallel(
      {
        mood: call('rate_sentiment', { input: from.message() }),
        keywords: call('find_keywords', { input: from.message() }),
      },
      { as: 'views' },
    ),
    result('analysis', ({ views }) => `${views.mood}: ${views.keywords}`),
  );
}

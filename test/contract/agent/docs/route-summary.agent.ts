import { IsIn, IsString } from 'class-validator';
import { Agent, call, end, FlowAgent, from, route } from '@parley/sdk/agent';

class Document {
  @IsIn(['legal', 'science', 'general', 'secret'])
  readonly kind: string = 'general';

  @IsString()
  readonly text!: string;
}

/** A delegator: chooses the worker by the kind of the document. Workers stay simple, and rules change here. */
@Agent({
  id: 'route_summary',
  name: 'Summarize a document',
  description: 'Gives a document to the summarizer of its kind: legal, science or general.',
  tags: ['text', 'agent'],
  inputModes: ['application/json'],
  input: Document,
})
export class RouteSummaryAgent extends FlowAgent {
  readonly flow = route<{ readonly input: Document }>(
    ({ input }) => (input.kind === 'secret' ? end.rejected('Secret documents are not summarized.') : input.kind),
    {
      legal: call('summarize_legal', { input: from.input('text') }),
      science: call('summarize_scientific', { input: from.input('text') }),
      general: call('summarize_generic', { input: from.input('text') }),
    },
  );
}

import { Agent, call, compute, FlowAgent, from, parallel, result, sequential } from '@parley/sdk/agent';

interface State {
  readonly names: readonly string[];
}

/** Several agents propose at the same time; two answers of three are enough, and a reducer joins them. */
@Agent({
  id: 'choose_name',
  name: 'Choose a name',
  description: 'Asks three writers for names of a product, and lists them without repetitions.',
  tags: ['text', 'agent'],
})
export class ChooseNameAgent extends FlowAgent {
  readonly flow = sequential<State>(
    parallel(
      {
        first: sequential(
          call('propose_names', { input: from.message(), retry: { times: 2, backoffMs: 1_000 } }),
          compute('names', (_state, { last }) => (last as { names: readonly string[] }).names),
        ),
        second: sequential(
          call('propose_short_names', { input: from.message(), fallback: call('propose_names') }),
          compute('names', (_state, { last }) => (last as { names: readonly string[] }).names),
        ),
        third: call('propose_old_names', { input: from.message() }),
      },
      { onFailure: 'quorum', quorum: 2, reduce: { names: 'union' } },
    ),
    result('names', ({ names }) => names.join('\n')),
  );
}

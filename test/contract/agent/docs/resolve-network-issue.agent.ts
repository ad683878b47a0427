import { Agent, call, FlowAgent, from, graph } from '@parley/sdk/agent';

/** A graph: diagnoses and repairs until the network works, and escalates after three attempts. */
@Agent({
  id: 'resolve_network_issue',
  name: 'Resolve a network issue',
  description: 'Runs diagnostics and repairs until the network works again, or calls support.',
  tags: ['network', 'agent'],
})
export class ResolveNetworkIssueAgent extends FlowAgent {
  readonly flow = graph<{ readonly attempts: { readonly count: number; readonly works: boolean } }>({
    start: 'diagnose',
    nodes: {
      diagnose: call('run_diagnostics', { as: 'finding', input: from.message() }),
      repair: call('repair_network', { as: 'attempts', input: { finding: from.state('finding') } }),
      escalate: call('escalate_to_support', { input: from.message() }),
    },
    edges: {
      diagnose: 'repair',
      repair: {
        to: ['diagnose', 'escalate', 'end'],
        choose: ({ attempts }) => (attempts.works ? 'end' : attempts.count >= 3 ? 'escalate' : 'diagnose'),
      },
      escalate: 'end',
    },
    maxVisits: 3,
  });
}

import { Agent, approval, type ApprovalValue, ask, call, end, FlowAgent, sequential, when } from '@parley/sdk/agent';

interface State {
  readonly text: string;
  readonly count: number;
  readonly price: string;
  readonly verdict: ApprovalValue;
}

/** Two questions to people: one for a value, one for an approval. */
@Agent({
  id: 'order_parts',
  name: 'Order parts',
  description: 'Orders parts: asks how many, gets a price, and has it approved.',
  tags: ['shop', 'agent'],
})
export class OrderPartsAgent extends FlowAgent {
  readonly flow = sequential<State>(
    ask({ as: 'count', question: ({ text }) => `How many of "${text}"?`, schema: { type: 'integer', minimum: 1 } }),
    call('price_parts', { as: 'price', input: ({ count }) => ({ count }) }),
    approval({
      as: 'verdict',
      question: ({ price }) => `Order for ${price}?`,
      approvers: { scopes: ['orders.approve'] },
      timeoutMs: 86_400_000,
    }),
    when(({ verdict }) => !verdict.approved, end.rejected('The order was not approved.')),
    call('order_parts_now', { approved: ({ verdict }) => verdict.approved, input: ({ count }) => ({ count }) }),
  );
}

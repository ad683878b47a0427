import { Agent, approval, type ApprovalValue, call, end, FlowAgent, from, graph, step } from '@parley/sdk/agent';

interface State {
  readonly kind: string;
  readonly draft: string;
  /** Absent before the first review. */
  readonly verdict?: ApprovalValue;
}

/** A graph: classifies a mail, drafts an answer, has a person review it, and sends it. */
@Agent({
  id: 'answer_mail',
  name: 'Answer a mail',
  description: 'Drafts an answer to a mail, and sends it once a person has approved it.',
  tags: ['mail', 'agent'],
})
export class AnswerMailAgent extends FlowAgent {
  readonly flow = graph<State>({
    start: 'classify',
    nodes: {
      classify: call('classify_mail', { as: 'kind', input: from.message() }),
      draft: call('draft_answer', {
        as: 'draft',
        input: ({ kind, verdict }) => ({ kind, remark: verdict?.reason ?? '' }),
      }),
      review: approval({ as: 'verdict', question: ({ draft }) => `Send this?\n${draft}` }),
      send: step('sent', async ({ draft }, { idempotencyKey }) => mailbox.send(draft, idempotencyKey)),
      stop: end.rejected('Advertisements get no answer.'),
    },
    edges: {
      classify: { to: ['draft', 'stop'], choose: ({ kind }) => (kind === 'advertisement' ? 'stop' : 'draft') },
      draft: 'review',
      review: { to: ['send', 'draft'], choose: ({ verdict }) => (verdict?.approved === true ? 'send' : 'draft') },
      send: 'end',
      stop: 'end',
    },
    maxVisits: 5,
  });
}

/** Stands for your mail server, which sends nothing twice under one key. */
export const mailbox = {
  sent: new Map<string, string>(),
  send: (text: string, key: string): Promise<string> => {
    mailbox.sent.set(key, text);
    return Promise.resolve(`Sent: ${text}`);
  },
};

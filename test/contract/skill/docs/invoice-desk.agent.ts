import { call } from '@parley/sdk/agent';
import { remote } from '@parley/sdk';
import { agent, skill } from '@parley/sdk/model';

/** An agent of AGENTS_FILE as a tool of a model. */
export const InvoiceDesk = agent({
  id: 'invoice_desk',
  description: 'Answers questions about invoices.',
  instruction: 'Ask the invoice agent where that is needed.',
  tools: [skill(remote('invoices'), { as: 'query_invoices', description: 'Answers a question about invoices.' })],
});

/** The same as a step of a flow. */
export const InvoiceStep = agent({
  id: 'invoice_step',
  description: 'Passes a question about invoices on.',
  flow: call(remote('invoices')),
});

import type { SkillPrincipal } from '@parley/sdk';
import type { DeciderDto } from '../dto/decider.dto.js';
import type { PaymentDecisionDto } from '../dto/payment-decision.dto.js';
import type { DataOf } from '../invoice.js';
import { titleOf } from '../markdown/invoice-markdown.js';
import { plain } from '../markdown/markdown.js';
import { findingTable } from '../markdown/report-markdown.js';
import type { Answer } from './interpret-answer.js';
import type { PaymentCase } from './payment-case.js';

type Decider = DataOf<DeciderDto>;
type Decision = DataOf<PaymentDecisionDto>;

/** The decision, its maker and its time. */
export interface Decided {
  readonly answer: Extract<Answer, { kind: 'approve' | 'reject' }>;
  readonly by: Decider;
  readonly at: Date;
}

/** The record of a decision. */
export function decided(payment: PaymentCase, { answer, by, at }: Decided): Decision {
  return {
    decision: answer.kind === 'approve' ? 'approved' : 'rejected',
    by,
    at: at.toISOString(),
    ...(answer.comment === undefined ? {} : { comment: answer.comment }),
    reasons: payment.reasons,
    amount: payment.amount,
    ...(payment.currency === undefined ? {} : { currency: payment.currency }),
    threshold: payment.threshold,
    findings: payment.findings,
    invoice: payment.invoice,
  };
}

/** The sender of an answer as the decider: a person if the token names one. */
export function deciderOf({ client, subject }: SkillPrincipal): Decider {
  return subject === undefined ? { kind: 'client', client } : { kind: 'person', client, subject };
}

/** A decision for people to read. */
export function decisionMarkdown({
  decision,
  by,
  at,
  comment,
  amount,
  currency,
  findings,
  reasons,
  invoice,
}: Decision): string {
  const shown = findings.filter(({ severity }) => severity !== 'info');
  return [
    `# Payment ${decision}`,
    '',
    `${titleOf(invoice)}: ${amount} ${currency ?? ''}`.trim(),
    '',
    `Decided by ${whoOf(by)} at ${at}.`,
    ...(comment === undefined ? [] : ['', `> ${plain(comment)}`]),
    ...(reasons.length === 0 ? [] : ['', 'Asked because:', ...reasons.map((reason) => `- ${plain(reason)}`)]),
    ...(shown.length === 0 ? [] : ['', ...findingTable(shown)]),
  ]
    .join('\n')
    .trim();
}

function whoOf({ kind, client, subject }: Decider): string {
  if (kind === 'policy') return 'policy, without asking';
  return plain(subject ?? `client ${client ?? ''}`.trim());
}

import type { Content } from '@parley/sdk';
import { findingTable } from '../markdown/report-markdown.js';
import { moneyOf, titleOf } from '../markdown/invoice-markdown.js';
import { plain } from '../markdown/markdown.js';
import { DECISIONS } from '../dto/approval-answer.dto.js';
import type { PaymentCase } from './payment-case.js';

/** JSON Schema (2020-12) of the answer; the same as `ApprovalAnswerDto`. */
const ANSWER_SCHEMA = {
  type: 'object',
  required: ['decision'],
  properties: {
    decision: { type: 'string', enum: DECISIONS, title: 'Decision' },
    comment: { type: 'string', maxLength: 2000, title: 'Comment' },
  },
};

/** Marks the form's data part. */
export const REQUEST_KIND = 'approval-request';

const HOW = 'Answer with the form, or with "approve" or "reject". You may also ask about the invoice.';

export interface Asking {
  /** Said before the details, for example the answer to a question. */
  readonly first?: string;
  /** Where the approver must log in. */
  readonly loginUrl?: string;
}

/** The question to the approver: details to read, and a form as a data part. */
export function approvalRequest(payment: PaymentCase, { first, loginUrl }: Asking = {}): Exclude<Content, string> {
  const text = [
    ...(first === undefined ? [] : [first, '']),
    ...details(payment),
    '',
    loginUrl === undefined ? HOW : login(loginUrl),
  ];
  return [
    { text: text.join('\n'), mediaType: 'text/markdown' },
    { data: { ...request(payment), ...(loginUrl === undefined ? {} : { loginUrl }) }, mediaType: 'application/json' },
  ];
}

function details(payment: PaymentCase): readonly string[] {
  const { invoice, findings, reasons } = payment;
  const errors = findings.filter(({ severity }) => severity !== 'info');
  return [
    `**Approve the payment of ${amountOf(payment)}?**`,
    '',
    `${titleOf(invoice)}, issued ${invoice.issueDate?.value ?? 'on an unknown day'}, due ${invoice.dueDate?.value ?? 'on an unknown day'}, ` +
      `to be paid to ${plain(invoice.payment.iban?.value ?? 'an account that it does not name')}.`,
    '',
    'You are asked because:',
    ...reasons.map((reason) => `- ${plain(reason)}`),
    ...(errors.length === 0 ? [] : ['', ...findingTable(errors.slice(0, 20))]),
  ];
}

function request({
  invoice,
  findings,
  amount,
  currency,
  threshold,
  reasons,
}: PaymentCase): Readonly<Record<string, unknown>> {
  return {
    kind: REQUEST_KIND,
    amount,
    ...(currency === undefined ? {} : { currency }),
    threshold,
    reasons,
    invoice,
    findings,
    form: { title: `Approve the payment of ${titleOf(invoice)}?`, schema: ANSWER_SCHEMA },
  };
}

function amountOf({ amount, invoice }: PaymentCase): string {
  return moneyOf({ value: amount, source: '', confidence: 1 }, invoice);
}

function login(url: string): string {
  return `The approver must log in at ${url} and answer from there, with the form or with "approve" or "reject".`;
}

import { Agent, ask, call, compute, end, FlowAgent, from, say, sequential, when } from '@parley/sdk/agent';
import type { Invoice } from '../invoice.js';
import type { PaymentDecisionDto } from '../dto/payment-decision.dto.js';
import type { ValidationReportDto } from '../dto/validation-report.dto.js';
import { titleOf } from '../markdown/invoice-markdown.js';
import { INPUT_MODES } from '../output-modes.js';
import { isIban } from '../text/identity.js';
import { paymentOrderOf } from './payment-order.js';

interface State {
  readonly invoice: Invoice;
  readonly account: string;
  readonly payable: Invoice;
  readonly report: ValidationReportDto;
  readonly decision: PaymentDecisionDto;
}

const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** From an invoice to a payment instruction: reads, checks, asks people where it must, and writes. */
@Agent({
  id: 'pay_invoice',
  name: 'Pay an invoice',
  description:
    'Reads and checks an invoice, asks for the account if it names none, has large or faulty ones approved by a person, and writes the payment as a file for a bank.',
  tags: ['finance', 'payment', 'invoice', 'human-in-the-loop', 'agent'],
  examples: ['Pay this invoice'],
  inputModes: INPUT_MODES,
  outputModes: ['application/json', 'application/xml'],
})
export class PayInvoiceAgent extends FlowAgent {
  readonly flow = sequential<State>(
    call('extract_invoice_data', {
      as: 'invoice',
      input: from.message(),
      fallback: end.failed((_state, { failure }) => `There is nothing to pay. ${failure ?? ''}`),
    }),
    when(
      ({ invoice }) => !isAccount(invoice.payment.iban?.value),
      ask({
        as: 'account',
        question: ({ invoice }) => `To which account (IBAN) is ${titleOf(invoice)} to be paid? The invoice names none.`,
        schema: { type: 'string', pattern: '^[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 ]{11,40}$' },
      }),
    ),
    compute('payable', payable),
    call('validate_invoice', { as: 'report', input: from.state('payable') }),
    say(({ report, invoice }) => `${titleOf(invoice)} is ${report.valid ? 'valid' : 'not valid'}`),
    call('approve_payment', { as: 'decision', input: from.state('payable') }),
    when(
      ({ decision }) => decision.decision !== 'approved',
      end.rejected(
        ({ decision, invoice }) => `${titleOf(invoice)} is not paid: ${decision.comment ?? 'it was rejected'}.`,
      ),
    ),
    call('write_payment_instruction', {
      approved: ({ decision }) => decision.decision === 'approved',
      input: ({ payable: invoice, decision }) => paymentOrderOf(invoice, decision),
    }),
  );
}

/** The invoice with the account that it is to be paid to. */
function payable({ invoice, account }: State): Invoice {
  if (isAccount(invoice.payment.iban?.value)) return invoice;
  const iban = { value: account.replace(/\s/gu, '').toUpperCase(), source: 'the answer of a person', confidence: 1 };
  return { ...invoice, payment: { ...invoice.payment, iban } };
}

function isAccount(text: string | undefined): boolean {
  const iban = text?.replace(/\s/gu, '').toUpperCase() ?? '';
  return IBAN.test(iban) && isIban(iban);
}

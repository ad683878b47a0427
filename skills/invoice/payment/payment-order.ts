import type { JsonObject } from '@parley/sdk';
import type { PaymentDecisionDto } from '../dto/payment-decision.dto.js';
import type { Invoice } from '../invoice.js';

/** Characters of names and references in ISO 20022. */
const MAX_CHARACTERS = 140;

/** Payment order of an approved invoice: the contract of `write_payment_instruction` lists the required members. */
export function paymentOrderOf(
  { seller, buyer, payment, number, dueDate }: Invoice,
  { amount, currency }: Pick<PaymentDecisionDto, 'amount' | 'currency'>,
): JsonObject {
  const order = {
    creditor: (payment.payee ?? seller.name)?.value.slice(0, MAX_CHARACTERS),
    iban: payment.iban?.value,
    bic: payment.bic?.value,
    debtor: (buyer.name?.value ?? 'The buyer').slice(0, MAX_CHARACTERS),
    amount,
    currency,
    reference: (payment.reference ?? number)?.value.slice(0, MAX_CHARACTERS),
    executionDate: dueDate?.value,
  };
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined));
}

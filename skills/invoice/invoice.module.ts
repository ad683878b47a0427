import { Module } from '@nestjs/common';
import { type ApproverLogin, DEFAULT_INVOICE_OPTIONS, InvoiceOptions } from './invoice-options.js';
import { InvoiceSettings } from './invoice.settings.js';

/** Gives the invoice skills their options, as the operator's variables say. */
@Module({
  providers: [{ provide: InvoiceOptions, useFactory: invoiceOptionsOf, inject: [InvoiceSettings] }],
  exports: [InvoiceOptions],
})
export class InvoiceModule {}

/** The options that checked variables say. */
export function invoiceOptionsOf(settings: InvoiceSettings): InvoiceOptions {
  const approverLogin = approverLoginOf(settings);
  return {
    ...DEFAULT_INVOICE_OPTIONS,
    approvalThreshold: settings.APPROVAL_THRESHOLD,
    approvalThresholds: thresholdsOf(settings.APPROVAL_THRESHOLDS),
    ...(approverLogin === undefined ? {} : { approverLogin }),
  };
}

/** `USD=12000;JPY=1500000`. */
function thresholdsOf(text = ''): Readonly<Record<string, string>> {
  const entries = text.split(';').filter((entry) => entry !== '');
  const pairs = entries.map((entry) => entry.split('=')).map(([currency = '', amount = '']) => [currency, amount]);
  return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
}

function approverLoginOf({ APPROVER_LOGIN_URL: url, APPROVERS = '' }: InvoiceSettings): ApproverLogin | undefined {
  const subjects = APPROVERS.split(',').map((subject) => subject.trim());
  return url === undefined ? undefined : { url, subjects: subjects.filter((subject) => subject !== '') };
}

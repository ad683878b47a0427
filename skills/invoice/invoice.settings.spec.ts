import { describe, expect, it } from '@jest/globals';
import { settingsOf } from '../../src/platform/config/settings/settings.js';
import { invoiceOptionsOf } from './invoice.module.js';
import { InvoiceSettings } from './invoice.settings.js';

const settings = (variables: Readonly<Record<string, string>>) =>
  invoiceOptionsOf(settingsOf(InvoiceSettings, variables));

describe(InvoiceSettings.name, () => {
  it('asks a human from 10000 on, without a login, when nothing is set', () => {
    expect(settings({})).toMatchObject({ approvalThreshold: '10000', approvalThresholds: {} });
    expect(settings({})).not.toHaveProperty('approverLogin');
  });

  it('reads thresholds by currency and the approvers', () => {
    const variables = {
      APPROVAL_THRESHOLD: '2500.50',
      APPROVAL_THRESHOLDS: 'USD=12000;JPY=1500000',
      APPROVER_LOGIN_URL: 'https://login.example.com/approve',
      APPROVERS: 'ann, bob',
    };
    expect(settings(variables)).toMatchObject({
      approvalThreshold: '2500.50',
      approvalThresholds: { USD: '12000', JPY: '1500000' },
      approverLogin: { url: 'https://login.example.com/approve', subjects: ['ann', 'bob'] },
    });
  });

  it.each([
    [{ APPROVAL_THRESHOLD: '-1' }, /^APPROVAL_THRESHOLD must be an amount/],
    [{ APPROVAL_THRESHOLDS: 'USD:5' }, /^APPROVAL_THRESHOLDS must have the form/],
    [{ APPROVAL_THRESHOLDS: 'USD=5;USD=6' }, /^APPROVAL_THRESHOLDS names a currency twice/],
    [{ APPROVERS: 'ann' }, /^APPROVER_LOGIN_URL .*APPROVERS has no effect without it/],
    [{ APPROVER_LOGIN_URL: 'login' }, /^APPROVER_LOGIN_URL must be an http or https address/],
  ])('refuses %j by name', (variables, message) => {
    expect(() => settings(variables as Readonly<Record<string, string>>)).toThrow(message);
  });
});

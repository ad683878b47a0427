import { describe, expect, it } from '@jest/globals';
import { invoiceSettings } from './app.invoices.js';
import { loadConfig } from './platform/config/load-config.js';

const settings = (variables: Readonly<Record<string, string>>) => invoiceSettings(loadConfig(variables));

describe(invoiceSettings.name, () => {
  it('asks a human from 10000 on, without a login, when nothing is set', () => {
    expect(settings({})).toMatchObject({ approvalThreshold: '10000', approvalThresholds: {} });
    expect(settings({})).not.toHaveProperty('approverLogin');
  });

  it('reads thresholds by currency and who may approve', () => {
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
    [{ APPROVERS: 'ann' }, /^APPROVERS has no effect without APPROVER_LOGIN_URL/],
    [{ APPROVER_LOGIN_URL: 'login' }, /^APPROVER_LOGIN_URL must be a URL/],
  ])('refuses %j by name', (variables, message) => {
    expect(() => settings(variables as Readonly<Record<string, string>>)).toThrow(message);
  });
});

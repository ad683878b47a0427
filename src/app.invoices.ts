import { allowedAddresses } from './app.settings.js';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from './platform/config/environment.js';
import { ConfigError } from './platform/config/config-error.js';
import { GuardedClient } from './security/egress/guarded-client.js';
import { type FetchedFile, FileFetcher } from './skill/catalog/invoice/document/file-fetcher.js';
import {
  type ApproverLogin,
  DEFAULT_INVOICE_OPTIONS,
  InvoiceOptions,
} from './skill/catalog/invoice/invoice-options.js';

/** What the invoice skills are given from outside: the operator's rules of approval, and files behind `url` parts. */
@Module({})
export class InvoiceModule {
  static forRoot(environment: Environment): DynamicModule {
    const client = new GuardedClient({ ports: [443], allowHttp: false, allow: allowedAddresses(environment) });
    return {
      module: InvoiceModule,
      global: true,
      providers: [
        { provide: FileFetcher, useValue: guardedFiles(client) },
        { provide: InvoiceOptions, useValue: invoiceSettings(environment) },
      ],
      exports: [FileFetcher, InvoiceOptions],
    };
  }
}

/** Throws an error that names the variable to change. */
export function invoiceSettings(environment: Environment): InvoiceOptions {
  const { APPROVAL_THRESHOLD, APPROVAL_THRESHOLDS } = environment;
  const approverLogin = approverLoginOf(environment);
  return {
    ...DEFAULT_INVOICE_OPTIONS,
    approvalThreshold: APPROVAL_THRESHOLD,
    approvalThresholds: thresholdsOf(APPROVAL_THRESHOLDS),
    ...(approverLogin === undefined ? {} : { approverLogin }),
  };
}

/** `USD=12000;JPY=1500000`; the form is checked where variables are read. */
function thresholdsOf(text = ''): Readonly<Record<string, string>> {
  const entries = text.split(';').filter((entry) => entry !== '');
  const pairs = entries.map((entry) => entry.split('=')).map(([currency = '', amount = '']) => [currency, amount]);
  if (new Set(pairs.map(([currency]) => currency)).size < pairs.length) {
    throw new ConfigError('APPROVAL_THRESHOLDS names a currency twice');
  }
  return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
}

function approverLoginOf({ APPROVER_LOGIN_URL: url, APPROVERS }: Environment): ApproverLogin | undefined {
  const subjects = (APPROVERS ?? '').split(',').map((subject) => subject.trim());
  const named = subjects.filter((subject) => subject !== '');
  if (url !== undefined) return { url, subjects: named };
  if (named.length > 0)
    throw new ConfigError('APPROVERS has no effect without APPROVER_LOGIN_URL: set both, or neither');
  return undefined;
}

/** Without credentials, and only to allowed addresses (A2A-SEC-03). */
function guardedFiles(client: GuardedClient): FileFetcher {
  return {
    async fetch(url, { maxBytes, signal }): Promise<FetchedFile> {
      const { status, headers, body, truncated } = await client.request({ method: 'GET', url, maxBytes, signal });
      if (status !== 200) throw new Error(`The file's server answered ${String(status)}`);
      if (truncated) throw new Error(`The file has more than ${String(maxBytes)} bytes`);
      const mediaType = headers['content-type'];
      return { bytes: body, ...(mediaType === undefined ? {} : { mediaType }) };
    },
  };
}

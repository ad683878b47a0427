import { randomBytes } from 'node:crypto';
import { allowedAddresses, cardSettings, keyRing, pushSettings } from '../../app.settings.js';
import { invoiceSettings } from '../../app.invoices.js';
import type { Environment } from '../../config/environment.js';
import type { Finding } from './finding.js';

type Settings = (environment: Environment, version: string) => unknown;

const ALL: readonly Settings[] = [keyRing, allowedAddresses, pushSettings, cardSettings, invoiceSettings];

/** Puts together what the start would put together of several variables; each that fails names what to change. */
export function checkSettings(environment: Environment, version: string): readonly Finding[] {
  const examined = environment.ROLE === 'all' ? withoutKeyFiles(environment) : environment;
  const faults = ALL.flatMap((settings) => faultOf(() => settings(examined, version)));
  const mend = 'Change the variable that is named: .env.example says what it takes';
  return [...new Set(faults)].map((text) => ({ check: 'configuration', severity: 'fail', text, mend }));
}

function faultOf(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** The start would make the keys of a single process and keep them in files: an examination makes none. */
function withoutKeyFiles(environment: Environment): Environment {
  const { SECRET_KEYS = `examined:${randomBytes(32).toString('base64')}`, CARD_SIGNING_KEYS = '' } = environment;
  return { ...environment, SECRET_KEYS, CARD_SIGNING_KEYS };
}

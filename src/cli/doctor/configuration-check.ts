import { isLoopbackHost } from '../../security/auth/open-start.js';
import type { Environment } from '../../platform/config/environment.js';
import { ConfigError } from '../../platform/config/config-error.js';
import { loadConfig } from '../../platform/config/load-config.js';
import { skillOptionsOf } from '../../skill/skill.js';
import { CATALOG } from '../../skill/catalog/index.js';
import { type Finding, fine } from './finding.js';

const CHECK = 'configuration';
/** As in the chart: what Kubernetes waits beyond the drain. */
const LONGEST_DRAIN_MS = 600_000;

/** The variables, as far as they can be used, and what is wrong with them. */
export function checkConfiguration(variables?: Readonly<Record<string, string | undefined>>): {
  readonly environment?: Environment;
  readonly findings: readonly Finding[];
} {
  try {
    const environment = loadConfig(variables);
    const findings = RULES.flatMap((rule) => rule(environment) ?? []);
    const all = findings.length === 0 ? [fine(CHECK, 'Every variable can be used')] : findings;
    return { environment, findings: all };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.message.split('\n');
    return { findings: lines.map((text) => found('fail', text, 'Change the variable, or remove it: .env.example')) };
  }
}

type Rule = (environment: Environment) => Finding | undefined;

const RULES: readonly Rule[] = [
  ({ DEFAULT_SKILL }) => {
    const ids = CATALOG.map((skill) => skillOptionsOf(skill)?.id);
    if (ids.includes(DEFAULT_SKILL)) return undefined;
    return found('fail', `DEFAULT_SKILL is ${DEFAULT_SKILL}, which is no skill`, `One of: ${ids.join(', ')}`);
  },
  ({ REDIS_URL, ROLE }) => {
    if (REDIS_URL !== undefined || ROLE === 'all') return undefined;
    return found('fail', `ROLE is ${ROLE}, but there is no REDIS_URL`, 'Set REDIS_URL: the roles share one Redis');
  },
  ({ SECRET_KEYS, ROLE }) => {
    if (SECRET_KEYS !== undefined || ROLE === 'all' || ROLE === 'worker') return undefined;
    return found(
      'warn',
      'SECRET_KEYS is not set: webhooks are not offered',
      'Give all roles the same keys: .env.example',
    );
  },
  ({ METRICS_PORT, HOST }) => {
    if (METRICS_PORT !== undefined || isLoopbackHost(HOST)) return undefined;
    return found('warn', 'Nobody can read the metrics', 'Set METRICS_PORT, and keep it from callers');
  },
  ({ METRICS_PORT, PORT }) => {
    if (METRICS_PORT !== PORT || PORT === 0) return undefined;
    return found('fail', `METRICS_PORT and PORT are both ${String(PORT)}`, 'Give the metrics another port: 9464, say');
  },
  ({ PUBLIC_URL, HOST }) => {
    if (isLoopbackHost(HOST)) return undefined;
    if (PUBLIC_URL === undefined) {
      const text = 'PUBLIC_URL is not set: the card names an address that others cannot reach';
      return found('warn', text, 'Set PUBLIC_URL to the address that callers use');
    }
    if (isLoopbackHost(new URL(PUBLIC_URL).hostname)) {
      return found('warn', `PUBLIC_URL is ${PUBLIC_URL}: only this machine reaches it`, 'Set the address for callers');
    }
    if (new URL(PUBLIC_URL).protocol === 'https:') return undefined;
    return found('warn', 'PUBLIC_URL is not https: tokens travel in the clear', 'End TLS before the service');
  },
  ({ DRAIN_MS }) => {
    if (DRAIN_MS <= LONGEST_DRAIN_MS) return undefined;
    const text = `DRAIN_MS is ${String(DRAIN_MS)}: an update waits that long for one skill`;
    return found('warn', text, 'Lower it: what does not end in time goes on in another worker');
  },
];

function found(severity: 'warn' | 'fail', text: string, mend: string): Finding {
  return { check: CHECK, severity, text, mend };
}

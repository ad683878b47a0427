import { type LoadedSkills, loadSkills, skillVariables } from './app.skills.js';
import { isLoopbackHost } from '../auth/incoming/loopback.js';
import { ConfigError } from '../platform/config/config-error.js';
import { type Environment, knownVariables, loadConfig } from './app.environment.js';
import type { Variables } from '../platform/config/variables/secret-files.js';
import { type UnknownVariable, unknownVariables } from '../platform/config/variables/unknown-variables.js';
import { SkillPackError } from '../skill/pack/load-packs.js';
import { readAddresses } from '../platform/address/listed-address.js';
import { isOrigin, listOf } from '../auth/incoming/origins.js';
import { skillOptionsOf } from '@parley/sdk/skill/skill.js';
import { type Finding, fine } from './finding.js';
import { shownIds } from './other-skills.js';

const CHECK = 'configuration';
/** Same value as in the chart: the time that Kubernetes waits beyond the drain. */
const LONGEST_DRAIN_MS = 600_000;

/** Characters of a tool name left by `mcp__parley__` out of 64, and names shown per finding. */
const TOOL_NAME = { length: 51, shown: 5 };

/** The valid variables and skills, and the faults of the others. */
export interface CheckedConfiguration {
  readonly environment?: Environment;
  readonly skills?: LoadedSkills;
  readonly findings: readonly Finding[];
}

/** Reads the variables of the service and of the packs of SKILLS. */
export async function checkConfiguration(variables?: Variables): Promise<CheckedConfiguration> {
  try {
    const environment = loadConfig(variables);
    const skills = await loadSkills(environment, variables);
    const unknown = unknownVariables(variables, [...knownVariables(), ...skillVariables(skills.packs)]).map(
      unknownFinding,
    );
    const names = environment.MCP ? toolNameFindings([...idsOf(skills), ...shownIds(environment)]) : [];
    const findings = [...RULES.flatMap((rule) => rule(environment) ?? []), ...names, ...unknown];
    const all = findings.length === 0 ? [fine(CHECK, 'All variables are valid')] : findings;
    return { environment, skills, findings: all };
  } catch (error) {
    if (error instanceof SkillPackError) return { findings: [found('fail', error.message, 'Change SKILLS')] };
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.message.split('\n');
    const wrong = lines.map((text) => found('fail', text, 'Correct the setting or remove it, see docs/settings.md'));
    return { findings: [...wrong, ...unknownVariables(variables, knownVariables()).map(unknownFinding)] };
  }
}

/** The fault of DEFAULT_SKILL; undefined if it is valid or not set. */
export function defaultSkillFault(id: string | undefined, ids: readonly string[]): Finding | undefined {
  if (id === undefined || ids.includes(id)) return undefined;
  return found('fail', `DEFAULT_SKILL ${id} is not a skill of this service`, `Set it to one of: ${ids.join(', ')}`);
}

/** Warns of MCP tools whose names are too long for hosts that prefix them with the server's name. */
export function toolNameFindings(ids: readonly string[]): readonly Finding[] {
  const long = ids.filter((id) => id.length > TOOL_NAME.length);
  if (long.length === 0) return [];
  const more = long.length > TOOL_NAME.shown ? ` and ${String(long.length - TOOL_NAME.shown)} more` : '';
  const shown = `${long.slice(0, TOOL_NAME.shown).join(', ')}${more}`;
  const text = `Skills with more than ${String(TOOL_NAME.length)} characters in their id: ${shown}`;
  return [found('warn', text, 'Shorten them: MCP hosts that call the tool mcp__parley__… take 64 characters at most')];
}

/** The ids of the skills of the packs. */
export function idsOf({ packs }: LoadedSkills): readonly string[] {
  return packs.flatMap((pack) => pack.skills.map(({ skill }) => skillOptionsOf(skill)?.id ?? ''));
}

function unknownFinding({ name, meant, gone }: UnknownVariable): Finding {
  if (gone !== undefined) return found('warn', `${name} is gone: ${gone}`, 'Remove it');
  const text = `${name} is not a variable of this service`;
  const fix = meant === undefined ? 'Remove it, or correct its name, see .env.example' : `Did you mean ${meant}?`;
  return found('warn', text, fix);
}

type Rule = (environment: Environment) => Finding | undefined;

const RULES: readonly Rule[] = [
  ({ REDIS_URL, ROLE }) => {
    if (REDIS_URL !== undefined || ROLE === 'all') return undefined;
    return found(
      'fail',
      `REDIS_URL is needed when ROLE is ${ROLE}`,
      'Set REDIS_URL: processes of several roles share one Redis',
    );
  },
  ({ SECRET_KEYS, ROLE, MCP }) => {
    // Without keys MCP has a stronger finding: the next rule.
    if (SECRET_KEYS !== undefined || MCP || ROLE === 'all' || ROLE === 'worker') return undefined;
    return found(
      'warn',
      'SECRET_KEYS is not set: webhooks are disabled',
      'Set the same keys for all roles, see .env.example',
    );
  },
  ({ MCP, SECRET_KEYS, ROLE }) => {
    if (!MCP || SECRET_KEYS !== undefined || ROLE === 'all' || ROLE === 'worker') return undefined;
    return found(
      'fail',
      'MCP is true and SECRET_KEYS is not set',
      'Set the same keys for all processes, see .env.example',
    );
  },
  ({ MCP, mcp, AGUI, agui }) => {
    const lists = [...(MCP ? [['mcp', mcp] as const] : []), ...(AGUI ? [['agui', agui] as const] : [])];
    const wrong = lists.flatMap(([name, { allowedOrigins }]) =>
      listOf(allowedOrigins).flatMap((origin) => (isOrigin(origin) ? [] : [`${name}.allowedOrigins: ${origin}`])),
    );
    if (wrong.length === 0) return undefined;
    const fix = 'Write scheme, host and port only: https://app.example';
    return found('fail', `These are no origins: ${wrong.join(', ')}`, fix);
  },
  ({ MCP, mcp: { waitMs } }) => {
    if (!MCP || waitMs < 60_000) return undefined;
    const text = `mcp.waitMs is ${String(waitMs)}: many hosts stop waiting after 60 s`;
    return found('warn', text, 'Set it to 50000: the call then names its task');
  },
  ({ METRICS_PORT, HOST }) => {
    if (METRICS_PORT !== undefined || isLoopbackHost(HOST)) return undefined;
    return found(
      'warn',
      'Metrics are disabled: METRICS_PORT is not set',
      'Set METRICS_PORT, and block callers from that port',
    );
  },
  ({ METRICS_PORT, PORT }) => {
    if (METRICS_PORT !== PORT || PORT === 0) return undefined;
    return found(
      'fail',
      `METRICS_PORT and PORT are both ${String(PORT)}`,
      'Set METRICS_PORT to another port, for example 9464',
    );
  },
  ({ PUBLIC_URL, HOST }) => {
    if (isLoopbackHost(HOST)) return undefined;
    const first = readAddresses(PUBLIC_URL)[0]?.url;
    if (first === undefined) {
      const text = 'PUBLIC_URL is not set: the address in the card is not reachable from other machines';
      return found('warn', text, 'Set PUBLIC_URL to the address that callers use');
    }
    if (isLoopbackHost(new URL(first).hostname)) {
      return found(
        'warn',
        `PUBLIC_URL is ${first}, which is reachable from this machine only`,
        'Set it to the address that callers use',
      );
    }
    if (first.startsWith('https:')) return undefined;
    return found(
      'warn',
      'PUBLIC_URL is not https: tokens are sent unencrypted',
      'Terminate TLS in front of the service',
    );
  },
  ({ DRAIN_MS }) => {
    if (DRAIN_MS <= LONGEST_DRAIN_MS) return undefined;
    const text = `DRAIN_MS is ${String(DRAIN_MS)}: an update may wait that long for one skill`;
    return found('warn', text, 'Lower it: runs that do not end in time are requeued for another worker');
  },
];

function found(severity: 'warn' | 'fail', text: string, fix: string): Finding {
  return { check: CHECK, severity, text, fix };
}

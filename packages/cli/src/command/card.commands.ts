import { readFileSync } from 'node:fs';
import type { JSONWebKeySet } from 'jose';
import type { Command } from 'commander';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { CardFinding } from '@parley/protocol/card/card-finding.js';
import { checkCard } from '@parley/protocol/card/check-card.js';
import { readCard } from '@parley/protocol/card/read-card.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { CliError, EXIT, localError, usageError } from '../context/cli-error.js';
import { type CommandContext, callerCommand, hiddenOption, run } from '../context/command-context.js';
import { block, field } from '../context/output.js';
import type { LoadedCard } from '../context/session.js';

/** `parley card get`, and `parley discover` for the same (a2a-cli specification §10.1). */
export function cardCommands(card: Command, program: Command): void {
  for (const command of [card.command('get [ref]'), program.command('discover [ref]', { hidden: true })]) {
    callerCommand(command)
      .description('shows the card of an agent: interfaces, capabilities, security, skills')
      .option('--validate', 'check it by the rules of the protocol; faults fail the command')
      .option('--extended', 'fetch the extended card, with the credential')
      .option('--verify <jwks>', 'verify its signatures against the public keys in this file; fails unless one holds')
      .addOption(hiddenOption('--raw'));
    command.action((ref: string | undefined) => {
      if (ref !== undefined) command.setOptionValue('agentCard', ref);
      return run(command, showCard);
    });
  }
}

async function showCard(context: CommandContext): Promise<void> {
  const { flags, session, output } = context;
  const loaded = flags.extended === true ? await extended(context) : await session.card();
  const signature = await signatureOf(loaded.raw, flags.verify);
  if (output.isJson) output.note(`Signature: ${signature}`);
  output.document(loaded.raw, () => [...cardLines(loaded.card), field('Signature', signature)]);
  if (flags.verify !== undefined && !signature.startsWith('verified ')) process.exitCode = EXIT.failure;
  if (flags.validate !== true) return;
  const findings = checkCard(loaded.raw);
  for (const { severity, rule, field: at, description } of findings)
    output.note(`${WORDS[severity]}: ${at} ${description} (${rule})`);
  if (findings.every(({ severity }) => severity !== 'error')) output.note('Valid: the card has no faults');
  else process.exitCode = EXIT.failure;
}

const WORDS: Readonly<Record<CardFinding['severity'], string>> = { error: 'Fault', warning: 'Warning', note: 'Note' };

/** With a credential that the public card declares a scheme for, and only if it declares an extended card. */
async function extended({ session }: CommandContext): Promise<LoadedCard> {
  const { card, url } = await session.card();
  if (card.capabilities.extendedAgentCard !== true) {
    const text = 'The card of the agent declares no extended card';
    throw new CliError('ExtendedAgentCardNotConfiguredError', text, EXIT.failure);
  }
  if (session.hasCredential && Object.keys(card.securitySchemes ?? {}).length === 0) {
    throw usageError('The card declares no security scheme: the credential is not sent to it');
  }
  const raw = await (await session.client()).extendedCard();
  return { raw, card: readCard(raw), url };
}

async function signatureOf(raw: unknown, keyFile: unknown): Promise<string> {
  if (!isJsonObject(raw) || !Array.isArray(raw.signatures) || raw.signatures.length === 0) return 'absent';
  if (typeof keyFile !== 'string') return 'unverifiable (no key: pass --verify <jwks>)';
  const { verifyCard } = await import('@parley/client/card/verify-card.js');
  const found = await verifyCard(raw as unknown as AgentCard, readKeySet(keyFile));
  if (found.outcome === 'unverifiable')
    return `${found.isAltered === true ? 'altered' : 'unverifiable'} (${found.why})`;
  return found.outcome === 'verified' ? `verified by ${found.kid ?? 'a key without id'}` : 'absent';
}

/** The keys in a file: a key set, or one key. */
export function readKeySet(path: string): JSONWebKeySet {
  const value = readKeys(path);
  const keys = isJsonObject(value) && Array.isArray(value.keys) ? value.keys : [value];
  return { keys: keys.filter(isJsonObject) };
}

function readKeys(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch (error) {
    throw localError('A2ACLI_ERR_USAGE', `${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function cardLines(card: AgentCard): readonly string[] {
  const { streaming, pushNotifications, extendedAgentCard, extensions = [] } = card.capabilities;
  const yes = (flag: boolean | undefined): string => (flag === true ? 'yes' : 'no');
  return [
    field('Name', card.name),
    field('Version', card.version),
    ...block('Description', card.description),
    ...(card.provider === undefined ? [] : [field('Provider', card.provider.organization)]),
    ...card.supportedInterfaces.map(({ protocolBinding, protocolVersion, url, tenant }) =>
      field(
        'Interface',
        `${protocolBinding} ${protocolVersion} ${url}${tenant === undefined ? '' : ` tenant ${tenant}`}`,
      ),
    ),
    field('Streaming', yes(streaming)),
    field('Push notifications', yes(pushNotifications)),
    field('Extended card', yes(extendedAgentCard)),
    ...extensions.map(({ uri, required }) => field('Extension', `${uri}${required === true ? ' (required)' : ''}`)),
    ...Object.entries(card.securitySchemes ?? {}).map(([name, scheme]) =>
      field('Security', `${name}: ${Object.keys(scheme).find((key) => key.endsWith('Scheme')) ?? 'unknown'}`),
    ),
    ...card.skills.flatMap(({ id, name, description }) => [
      field('Skill', `${id}: ${name}`),
      field('About', description),
    ]),
  ];
}

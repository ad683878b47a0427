import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { field } from '../context/output.js';
import { shellWord } from '../context/shell-word.js';

/** Objects of a list in an answer; other values are left out. */
export function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** An entry of ARD. */
export function agentLines(agent: JsonObject): readonly string[] {
  const { metadata } = agent;
  return [
    ...lines(agent, { Agent: 'identifier', Name: 'displayName', Card: 'url', Description: 'description' }),
    ...lines(agent, { Skills: 'capabilities', Tags: 'tags', Score: 'score' }),
    ...(isJsonObject(metadata) ? lines(metadata, { Health: 'health', Signature: 'signature' }) : []),
  ];
}

/** An agent as owners and curators see it. */
export function entryLines(value: unknown): readonly string[] {
  if (!isJsonObject(value)) return [];
  const { listing, pending, health, proof } = value;
  return [
    ...lines(value, { Agent: 'identifier', State: 'state', Owner: 'owner', Card: 'url', Hash: 'hash' }),
    ...(isJsonObject(listing) ? lines(listing, { Name: 'displayName', Skills: 'capabilities' }) : []),
    ...(isJsonObject(proof) ? lines(proof, { Proof: 'kind' }) : []),
    ...lines(value, { Signature: 'signature' }),
    ...(isJsonObject(health) ? lines(health, { Health: 'state', Failure: 'reason' }) : []),
    ...(isJsonObject(pending) ? lines(pending, { 'Pending hash': 'hash', 'Pending changes': 'changes' }) : []),
  ];
}

/** An event of the log. */
export function eventLine({ seq, at, action, subject, by, why }: JsonObject): string {
  const author = isJsonObject(by) ? textOf(by.client) : '';
  const reason = why === undefined ? '' : ` (${textOf(why)})`;
  return field(textOf(seq), `${textOf(at)} ${textOf(action)} ${textOf(subject)} by ${author}${reason}`);
}

/** An event of the feed. */
export function newsLine({ change, at, identifier, health }: JsonObject): string {
  const what = change === 'reset' ? 'list the agents now: their changes follow' : textOf(identifier);
  return field(textOf(change), [at, what, health].map(textOf).join(' ').trimEnd());
}

export function nextLines({ pageToken }: JsonObject): readonly string[] {
  return pageToken === undefined ? [] : [field('Next', `--page-token ${shellWord(textOf(pageToken))}`)];
}

function lines(value: JsonObject, labels: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(labels).flatMap(([label, member]) => {
    const text = textOf(value[member]);
    return text === '' ? [] : [field(label, text)];
  });
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

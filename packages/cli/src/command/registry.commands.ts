import type { Command } from 'commander';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { JsonApi } from '@parley/client/call/json-api.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { readKeySet } from './card.commands.js';
import { EXIT, usageError } from '../context/cli-error.js';
import { type CommandContext, callerCommand, collect, run } from '../context/command-context.js';
import { field } from '../context/output.js';
import { agentLines, entryLines, eventLine, listOf, nextLines } from '../registry/registry-lines.js';
import type { Flags } from '../context/settings.js';

type Work = (registry: JsonApi, context: CommandContext) => Promise<void>;

/** `parley registry …`: agents of a registry after ARD 0.91, and their management at a Parley service. */
export function registryCommands(registry: Command): void {
  searchCommands(registry);
  ownerCommands(registry);
  curatorCommands(registry);
  eventCommands(registry);
  keyCommands(registry);
  logCommands(registry);
}

function searchCommands(registry: Command): void {
  const search = command(registry, 'search [text...]', 'searches agents: by words, skill, tag or other terms')
    .option('--skill <id>', 'only agents with this skill')
    .option('--tag <tag>', 'only agents with this tag')
    .option('--filter <term=value>', 'only agents with this value of a term; repeatable', collect)
    .option('--page-size <n>', 'most results (default: 10)')
    .option('--page-token <token>', 'the next page, as the page before names it');
  search.action((words: readonly string[]) =>
    act(search, async (client, context) => {
      const { flags, output } = context;
      const size = numberOf(flags.pageSize);
      const page = { ...(size === undefined ? {} : { pageSize: size }), ...tokenOf(flags.pageToken) };
      const filter = filterOf(flags);
      const found =
        words.length > 0
          ? await client.send('POST', 'search', { query: { text: words.join(' '), filter }, ...page })
          : await client.get('agents', { filter: filterText(filter), ...texts(page) });
      output.document(found, () => [...listOf(found.results ?? found.items).flatMap(agentLines), ...nextLines(found)]);
    }),
  );
  const get = command(registry, 'get <identifier>', 'shows an agent that can be found');
  get.action((identifier: string) =>
    act(get, async (client, { output }) => {
      const agent = await client.get(`agents/${encodeURIComponent(identifier)}`);
      output.document(agent, () => agentLines(agent));
    }),
  );
}

function ownerCommands(registry: Command): void {
  const register = command(registry, 'register <url>', 'proposes an agent by the URL of its card, or of the agent')
    .alias('publish')
    .option('--identifier <urn>', 'urn:air:<publisher>:agent:<name> (default: made of host and name)')
    .option('--client <client>', 'only this client finds it; repeatable (default: everybody of the tenant)', collect);
  register.action((url: string) =>
    act(register, async (client, { flags, output }) => {
      const { identifier } = flags;
      const named = typeof identifier === 'string' ? { identifier } : {};
      const changed = await client.send('POST', 'entries', { url, ...named, ...visibilityOf(flags) });
      output.document(changed, () => entryLines(changed.entry));
    }),
  );
  const list = command(registry, 'list', 'lists agents in all states: own ones, for curators all of the tenant')
    .option('--state <state>', 'proposed, approved or suspended')
    .option('--pending', 'only agents with a newer card that waits for an approval')
    .option('--page-token <token>', 'the next page, as the page before names it');
  list.action(() =>
    act(list, async (client, { flags, output }) => {
      const { state, pending, pageToken } = flags;
      const query = { ...texts({ state, pageToken }), ...(pending === true ? { pending: 'true' } : {}) };
      const found = await client.get('entries', query);
      output.document(found, () => [...listOf(found.items).flatMap(entryLines), ...nextLines(found)]);
    }),
  );
  const show = command(registry, 'show <identifier>', 'shows an agent in any state, with its cards');
  show.action((identifier: string) =>
    act(show, async (client, { output }) => {
      const shown = await client.get(pathOf(identifier));
      output.document(shown, () => entryLines(shown.entry));
    }),
  );
  action(command(registry, 'refresh <identifier>', 'reads the card of an agent again'), 'refresh', () => ({}));
  const retire = command(registry, 'retire <identifier>', 'removes an agent');
  action(retire.requiredOption('--reason <text>', 'why, for the log'), 'retire', reasonOf);
}

function curatorCommands(registry: Command): void {
  const approve = command(registry, 'approve <identifier>', 'lets an agent be found, with the card that you have seen');
  action(
    approve.requiredOption('--hash <sha256>', 'the digest of that card: parley registry show'),
    'approve',
    (flags) => ({
      hash: flags.hash,
    }),
  );
  const suspend = command(registry, 'suspend <identifier>', 'hides an agent until it is approved again');
  action(suspend.requiredOption('--reason <text>', 'why, for the log'), 'suspend', reasonOf);
  const visibility = command(registry, 'visibility <identifier>', 'says who finds an agent').option(
    '--client <client>',
    'only this client finds it; repeatable (default: everybody of the tenant)',
    collect,
  );
  visibility.action((identifier: string) =>
    act(visibility, async (client, { flags, output }) => {
      const changed = await client.send('PUT', `${pathOf(identifier)}/visibility`, {
        visibility: 'tenant',
        ...visibilityOf(flags),
      });
      output.document(changed, () => entryLines(changed.entry));
    }),
  );
}

function eventCommands(registry: Command): void {
  const events = command(registry, 'events', 'follows the changes of agents that you find; with -o json one a line')
    .option('--after <id>', 'changes behind this event (default: from now on)')
    .option('--count <n>', 'ends after n events');
  events.action(() =>
    act(events, async (client, context) => {
      // Loaded here: the other commands ask once.
      const { followEvents } = await import('../registry/registry-events.js');
      await followEvents(client, context);
    }),
  );
}

function keyCommands(registry: Command): void {
  const pin = command(
    registry,
    'pin <publisher> <jwks>',
    'pins the public keys in a file for the cards of a publisher',
  );
  pin.action((publisher: string, file: string) =>
    act(pin, async (client, { output }) => {
      await client.send('PUT', `publishers/${encodeURIComponent(publisher)}`, readKeySet(file));
      output.document({}, () => [field('Pinned', publisher)]);
    }),
  );
  const unpin = command(registry, 'unpin <publisher>', 'removes the pinned keys of a publisher');
  unpin.action((publisher: string) =>
    act(unpin, async (client, { output }) => {
      await client.send('DELETE', `publishers/${encodeURIComponent(publisher)}`);
      output.document({}, () => [field('Removed', publisher)]);
    }),
  );
}

function logCommands(registry: Command): void {
  const log = command(registry, 'log', 'shows what was done in the registry, oldest first')
    .option('--after <number>', 'events after this one (default: 0)')
    .option('--verify', 'read the whole log and check that no event was changed or removed');
  log.action(() =>
    act(log, async (client, context) => {
      const { flags, output } = context;
      if (flags.verify === true) {
        await verify(client, context);
        return;
      }
      const found = await client.get('log', texts({ after: flags.after }));
      output.document(found, () => listOf(found.events).map(eventLine));
    }),
  );
}

const PAGE = 1000;

async function verify(client: JsonApi, { output }: CommandContext): Promise<void> {
  // Loaded here: no other command computes digests.
  const { brokenAt } = await import('@parley/client/registry/registry-log.js');
  const events: JsonObject[] = [];
  for (;;) {
    const after = Number(events.at(-1)?.seq ?? 0);
    const { events: page, head } = await client.get('log', { after: String(after), limit: String(PAGE) });
    events.push(...listOf(page));
    if (listOf(page).length === PAGE) continue;
    // The service has written it; the digests say whether it is still as it was.
    const broken = brokenAt(events as never, head as never);
    const result = { events: events.length, ...(broken === undefined ? {} : { brokenAt: broken }) };
    output.document(result, () => [
      broken === undefined
        ? field('Whole', `${String(events.length)} events follow each other`)
        : field('Broken', `event ${String(broken)} was changed, or one behind it is missing`),
    ]);
    if (broken !== undefined) process.exitCode = EXIT.failure;
    return;
  }
}

function command(registry: Command, name: string, description: string): Command {
  return callerCommand(registry.command(name))
    .description(description)
    .option('--registry <url>', 'the registry, such as https://agents.example.com/registry');
}

function act(of: Command, work: Work): Promise<void> {
  return run(of, async (context) => work(await context.session.registry(), context));
}

/** An action of a curator or owner on one agent. */
function action(of: Command, verb: string, bodyOf: (flags: Flags) => JsonObject): void {
  of.action((identifier: string) =>
    act(of, async (client, { flags, output }) => {
      const changed = await client.send('POST', `${pathOf(identifier)}/${verb}`, bodyOf(flags));
      output.document(changed, () => (isJsonObject(changed.entry) ? entryLines(changed.entry) : [field('Done', verb)]));
    }),
  );
}

function pathOf(identifier: string): string {
  return `entries/${encodeURIComponent(identifier)}`;
}

function reasonOf({ reason }: Flags): JsonObject {
  return { reason: String(reason) };
}

function visibilityOf({ client }: Flags): JsonObject {
  return Array.isArray(client) ? { visibility: 'clients', clients: client.map(String) } : {};
}

/** The terms of `--skill`, `--tag` and `--filter`. */
function filterOf({ skill, tag, filter }: Flags): JsonObject {
  const pairs = (Array.isArray(filter) ? filter.map(String) : []).map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw usageError(`--filter must be <term>=<value>: ${text}`);
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const;
  });
  return {
    ...Object.fromEntries(pairs),
    ...(typeof skill === 'string' ? { capabilities: skill } : {}),
    ...(typeof tag === 'string' ? { tags: tag } : {}),
  };
}

/** The same as the filter of a list has it. */
function filterText(filter: JsonObject): string | undefined {
  const terms = Object.entries(filter).map(([term, value]) => `${term} = ${quoted(String(value))}`);
  return terms.length === 0 ? undefined : terms.join(' AND ');
}

function quoted(value: string): string {
  return value.includes("'") ? `"${value}"` : `'${value}'`;
}

function texts(values: JsonObject): Readonly<Record<string, string>> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

function tokenOf(token: unknown): { readonly pageToken?: string } {
  return typeof token === 'string' ? { pageToken: token } : {};
}

function numberOf(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^\d{1,3}$/.test(text)) return Number(text);
  throw usageError('--page-size must be a number from 1 to 100');
}

import type { Command } from 'commander';
import { processVariables } from '../context/process-variables.js';
import { localError, usageError } from '../context/cli-error.js';
import { type CommandContext, callerCommand, run } from '../context/command-context.js';
import { deviceLogin, endpointsOf, type IssuedToken, requestToken } from '../context/oauth.js';
import { field } from '../context/output.js';
import { TokenFiles } from '../context/token-files.js';

/** `parley auth …`: tokens for agents, from their issuers (a2a-cli specification §12.2). */
export function authCommands(auth: Command): void {
  const login = callerCommand(auth.command('login'))
    .description('gets a token from the issuer of an agent, and keeps it for calls to that agent')
    .option('--client-id <id>', 'the OAuth client (A2ACLI_CLIENT_ID)')
    .option('--client-credentials', 'as a program, with the secret in A2ACLI_CLIENT_SECRET (default: device code)')
    .option('--scope <scopes>', 'scopes to ask for, separated by spaces')
    .option('--token-url <url>', 'token endpoint, in place of the one that the card names')
    .option('--device-url <url>', 'device authorization endpoint, likewise');
  login.action(() => run(login, signIn));

  const logout = callerCommand(auth.command('logout')).description('removes the token of an agent');
  logout.action(() =>
    run(logout, async ({ session, output, streams }) => {
      const agent = await originOf(session);
      const had = await new TokenFiles(streams.home).remove(agent);
      output.document({ agent, removed: had }, () => [field('Agent', agent), field('Removed', had ? 'yes' : 'no')]);
    }),
  );

  const status = callerCommand(auth.command('status')).description(
    'lists the tokens that are kept, without their values',
  );
  status.action(() =>
    run(status, async ({ output, streams }) => {
      const tokens = (await new TokenFiles(streams.home).list()).map(({ agent, tokenUrl, clientId, expiresAt }) => ({
        ...{ agent, tokenUrl, clientId },
        expires: expiresAt === undefined ? 'unknown' : new Date(expiresAt).toISOString(),
      }));
      output.document(tokens, () =>
        tokens.flatMap((token) => [
          field('Agent', token.agent),
          field('Issuer', token.tokenUrl),
          field('Client', token.clientId),
          field('Expires', token.expires),
        ]),
      );
    }),
  );
}

async function signIn(context: CommandContext): Promise<void> {
  const { flags, session, output, streams } = context;
  const variables = streams.variables ?? processVariables();
  const { card } = await session.card();
  const named = await endpointsOf(card, session.http);
  const tokenUrl = textOf(flags.tokenUrl) ?? named.tokenUrl;
  const deviceUrl = textOf(flags.deviceUrl) ?? named.deviceUrl;
  if (tokenUrl === undefined) throw usageError('The card names no token endpoint: pass --token-url');
  const clientId = textOf(flags.clientId) ?? variables.A2ACLI_CLIENT_ID;
  if (clientId === undefined) throw usageError('Name the OAuth client: --client-id, or A2ACLI_CLIENT_ID');
  // The card chooses where the secret goes: its user must see it.
  output.note(`Issuer: ${new URL(tokenUrl).origin}`);
  const scope = textOf(flags.scope);
  const token =
    flags.clientCredentials === true
      ? await asProgram(context, { tokenUrl, clientId, scope, clientSecret: variables.A2ACLI_CLIENT_SECRET })
      : await asPerson(context, { tokenUrl, deviceUrl, clientId, scope });
  const agent = await originOf(session);
  await new TokenFiles(streams.home).save({ agent, tokenUrl, clientId, ...token });
  const expires = token.expiresAt === undefined ? 'unknown' : new Date(token.expiresAt).toISOString();
  output.document({ agent, expires }, () => [field('Agent', agent), field('Expires', expires)]);
}

interface Issuer {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string | undefined;
}

async function asProgram(
  { session }: CommandContext,
  { tokenUrl, clientId, scope, clientSecret }: Issuer & { readonly clientSecret: string | undefined },
): Promise<IssuedToken> {
  if (clientSecret === undefined) throw usageError('Put the secret of the client into A2ACLI_CLIENT_SECRET');
  const form = { grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) };
  const answer = await requestToken(session.http, tokenUrl, form, { clientId, clientSecret });
  if (answer.kind === 'token') return answer.token;
  throw localError('A2ACLI_ERR_AUTH_FAILED', `The issuer refused the client: ${answer.description}`);
}

async function asPerson(
  { session, output, streams }: CommandContext,
  { tokenUrl, deviceUrl, clientId, scope }: Issuer & { readonly deviceUrl: string | undefined },
): Promise<IssuedToken> {
  if (deviceUrl === undefined) {
    throw usageError('The card names no device endpoint: pass --device-url, or --client-credentials');
  }
  if ((streams.variables ?? processVariables()).CI !== undefined) {
    throw localError(
      'A2ACLI_ERR_CREDENTIALS_MISSING',
      'Interactive login is not possible (CI is set): use --client-credentials',
    );
  }
  return deviceLogin(session.http, { deviceUrl, tokenUrl, clientId, scope }, (line) => output.note(line));
}

async function originOf(session: CommandContext['session']): Promise<string> {
  const { endpoint } = await session.client();
  return new URL(endpoint.url).origin;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

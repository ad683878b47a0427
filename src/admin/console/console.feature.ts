import { isLoopbackHost } from '../../auth/incoming/loopback.js';
import { CONSOLE_SCOPES, DEBUG_SCOPE, scopeDescriptions } from '../../auth/scopes.js';
import { defineFeature, type FeatureStart } from '../../http/binding/feature.js';
import { ConsoleApiModule } from '../../http/console-api/console-api.module.js';
import { ConsoleModule } from './console.module.js';
import type { ConsoleLogin, ConsoleOptions } from './console.options.js';
import { ConsoleSettings } from './console.settings.js';
import { isConsolePage } from './pages/console-pages.controller.js';

/** The console at `/console`, and its API with the routes that other features have there. */
export const consoleFeature = defineFeature({
  name: 'console',
  title: 'Console',
  settings: ConsoleSettings,
  scopes: {
    [CONSOLE_SCOPES.observe]: 'See all tasks of the tenant: states, times and sizes, not their content',
    [CONSOLE_SCOPES.operate]: 'Cancel tasks of the tenant',
    [CONSOLE_SCOPES.answer]: 'Answer questions of the tenant in place of the caller that began the task',
    [CONSOLE_SCOPES.platform]: 'See queue, workers and health of the service, over all tenants',
  },
  /** By default for this machine only, or with a login. */
  isOn: ({ settings: { CONSOLE, CONSOLE_CLIENT_ID }, host }) =>
    CONSOLE === undefined ? CONSOLE_CLIENT_ID !== undefined || isLoopbackHost(host) : CONSOLE === 'on',
  module: (start, { binding, remote, webhooks, consoleApi }) => {
    if (binding === undefined) return undefined;
    const { CONSOLE_PLATFORM_CLIENTS = '' } = start.settings;
    const platformClients = CONSOLE_PLATFORM_CLIENTS.split(/[\s,]+/).filter(Boolean);
    const base = ConsoleApiModule.forRoot({ ownership: start.ownership, platformClients }, binding);
    const options = { ...optionsOf(start), hasAgents: remote !== undefined };
    const others = [...consoleApi(base), ...(remote === undefined ? [] : [remote])];
    return ConsoleModule.forRoot(options, { webhooks }, base, others);
  },
  isPage: isConsolePage,
  page: () => '/console',
});

function optionsOf(start: FeatureStart<ConsoleSettings>): Omit<ConsoleOptions, 'hasAgents'> {
  const { version, ownership, keyPrefix, settings } = start;
  const { traceUrl, logUrl } = settings;
  return {
    ...{ version, ownership, keyPrefix, login: loginOf(start), features: start.features() },
    scopes: Object.keys(scopeDescriptions(start.auth().scopes)).filter((scope) => scope !== DEBUG_SCOPE),
    ...(traceUrl === undefined ? {} : { traceUrl }),
    ...(logUrl === undefined ? {} : { logUrl }),
  };
}

function loginOf({ settings: { CONSOLE_CLIENT_ID: clientId }, auth }: FeatureStart<ConsoleSettings>): ConsoleLogin {
  const { mode, issuers, resource, dpop = false } = auth();
  if (mode === 'open') return { kind: 'open' };
  const issuer = issuers[0]?.issuer;
  if (clientId === undefined || issuer === undefined) return { kind: 'key' };
  return { kind: 'code', issuer, clientId, resource, dpop };
}

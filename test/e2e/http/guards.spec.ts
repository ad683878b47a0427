import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GUARDS_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { CallerGuard } from '../../../src/http/guards/caller.guard.js';
import { PassportGuard } from '../../../src/http/guards/passport.guard.js';
import { Public } from '../../../src/http/guards/public.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

/** Serves the metrics of the process, and only where its port is loopback; it knows nothing of callers. */
const OF_THE_PLATFORM = ['MetricsController'];

let running: RunningApp;

type Controller = abstract new (...args: never[]) => unknown;

function controllers(): readonly Controller[] {
  const modules = [...running.app.get(ModulesContainer).values()];
  const all = modules.flatMap((module) => [...module.controllers.values()]);
  return [...new Set(all.map(({ metatype }) => metatype as Controller))];
}

const guardsOf = (controller: Controller): readonly unknown[] =>
  (Reflect.getMetadata(GUARDS_METADATA, controller) ?? []) as readonly unknown[];

const isPublic = (controller: Controller): boolean => Reflect.getMetadata(Public.KEY, controller) !== undefined;

describe('every controller', () => {
  beforeAll(async () => {
    running = await runApp({
      API_KEYS: apiKeyEntry('probe.secret', { tenant: 'acme', scopes: 'a2a:tasks.read' }),
      // Each controller refuses a call of the same address.
      RATE_FAILURE: '1000/1000',
      MCP: 'true',
      SECRET_KEYS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
    });
  });

  afterAll(() => running.close());

  it('has a guard that knows its callers as the first, or says why everybody may use it', () => {
    const open = controllers().filter(
      (it) => !isPublic(it) && ![CallerGuard, PassportGuard].includes(guardsOf(it)[0] as never),
    );
    expect(open.map(({ name }) => name)).toEqual(OF_THE_PLATFORM);
    expect(controllers().length).toBeGreaterThan(8);
  });

  it('asks Passport, unless it is a binding', () => {
    const others = controllers().filter((it) => guardsOf(it)[0] === CallerGuard);
    expect(others.map(({ name }) => name).sort()).toEqual([
      'McpController',
      'McpSessionController',
      'RestController',
      'RpcController',
      'RunController',
    ]);
  });

  it('has no guard where everybody may use it', () => {
    expect(controllers().filter((it) => isPublic(it) && guardsOf(it).length > 0)).toEqual([]);
  });

  it('refuses strangers unless it is public', async () => {
    for (const controller of controllers().filter((it) => !isPublic(it))) {
      if (OF_THE_PLATFORM.includes(controller.name)) continue;
      const path = [Reflect.getMetadata(PATH_METADATA, controller)].flat().join('/').replace(/^\/*/, '/');
      const { status } = await fetch(`${running.url}${path === '/' ? '/tasks' : path}`);
      expect({ name: controller.name, status }).toEqual({ name: controller.name, status: 401 });
    }
  });
});

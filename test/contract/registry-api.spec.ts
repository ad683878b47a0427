import { describe, expect, it } from '@jest/globals';
import { RequestMethod } from '@nestjs/common';
import { registryFeature } from '../../src/registry/registry.feature.js';
import { REGISTRY_SCOPES } from '../../src/registry/registry.scopes.js';
import { ActionAudit } from '../../src/http/guards/action-audit.interceptor.js';
import { PassportGuard } from '../../src/http/guards/passport.guard.js';
import { ScopeGuard } from '../../src/http/guards/scope.guard.js';
import { REGISTRY_API } from '../../src/registry/api/registry-api.module.js';
import { RegistryGuard } from '../../src/registry/api/registry.guard.js';
import { routesOf } from '../kit/checks/controller-routes.js';

const ROUTES = routesOf(REGISTRY_API);
const OPEN_TO_OWNERS = ['/registry/entries', '/registry/entries/:identifier', '/retire', '/refresh'];

describe('the routes of the registry', () => {
  it('are found, and all of them are below /registry', () => {
    expect(ROUTES.length).toBeGreaterThan(14);
    expect(ROUTES.filter(({ path }) => !path.startsWith('/registry/'))).toEqual([]);
  });

  it.each(ROUTES)('$name asks who calls, for one of its scopes, and counts the call', ({ path, guards, scopes }) => {
    expect(guards).toEqual([PassportGuard, ScopeGuard, RegistryGuard]);
    const isSearch = /^\/registry\/(search|explore|agents|events)/.test(path);
    const isOwners = OPEN_TO_OWNERS.some((one) => path === one || (path.endsWith(one) && one.length < 10));
    const { read, register, curate } = REGISTRY_SCOPES;
    expect(scopes).toEqual([isSearch ? read : isOwners ? register : curate]);
    expect(Object.keys(registryFeature.scopes ?? {})).toEqual(expect.arrayContaining([...scopes]));
  });

  it.each(ROUTES)('$name is in the OpenAPI document', ({ summary }) => {
    expect(summary).toMatch(/^[A-Z].{10,}[^.]$/);
  });

  it.each(ROUTES.filter(({ path, method }) => method !== RequestMethod.GET && !/(search|explore)$/.test(path)))(
    '$name changes something: its action is written to the audit log',
    ({ action, interceptors }) => {
      expect(action).toMatch(/^registry\.[a-z-]+$/);
      expect(interceptors).toContain(ActionAudit);
    },
  );
});

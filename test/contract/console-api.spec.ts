import { describe, expect, it } from '@jest/globals';
import { RequestMethod } from '@nestjs/common';
import { scopeDescriptions } from '../../src/auth/scopes.js';
import type { Feature } from '../../src/http/binding/feature.js';
import { FEATURES } from '../../src/main/app.features.js';
import { ActionAudit } from '../../src/http/guards/action-audit.interceptor.js';
import { isConsolePage } from '../../src/admin/console/pages/console-pages.controller.js';
import { withConfig } from '../../src/admin/console/pages/console-page.js';
import { ASSET_POLICY, consolePolicy } from '../../src/admin/console/pages/console-policy.js';
import { ConsoleGuard } from '../../src/http/console-api/console.guard.js';
import { MeController } from '../../src/admin/console/me.controller.js';
import { PassportGuard } from '../../src/http/guards/passport.guard.js';
import { ScopeGuard } from '../../src/http/guards/scope.guard.js';
import { CONSOLE_ROUTES as ROUTES } from '../kit/console/routes.js';

const KNOWN = Object.keys(
  Object.assign(scopeDescriptions(), ...FEATURES.map((feature: Feature) => feature.scopes)) as object,
);

describe('the routes of the console API', () => {
  it('are found, and all of them are below /console/api', () => {
    expect(ROUTES.length).toBeGreaterThan(12);
    expect(ROUTES.filter(({ path }) => !path.startsWith('/console/api/'))).toEqual([]);
    expect(ROUTES.filter(({ path }) => isConsolePage(path))).toEqual([]);
  });

  it.each(ROUTES)('$name asks who calls first, and for a known scope', ({ name, guards, scopes }) => {
    expect(guards[0]).toBe(PassportGuard);
    expect(guards).toContain(ConsoleGuard);
    // It says to callers only what their own credential says.
    if (name === `${MeController.name}.me`) return;
    expect(guards[1]).toBe(ScopeGuard);
    expect(scopes.length).toBeGreaterThan(0);
    for (const scope of scopes) expect(KNOWN).toContain(scope);
  });

  it.each(ROUTES)('$name is in the OpenAPI document', ({ summary }) => {
    expect(summary).toMatch(/^[A-Z].{10,}[^.]$/);
  });

  it.each(ROUTES.filter(({ method }) => method !== RequestMethod.GET))(
    '$name changes something: its action is written to the audit log',
    ({ action, interceptors }) => {
      expect(action).toMatch(/^[a-z]+\.[a-z-]+$/);
      expect(interceptors).toContain(ActionAudit);
    },
  );

  it.each(ROUTES.filter(({ path }) => /\/(content|raw)$/.test(path)))(
    '$name shows content: it asks for the right to read tasks beside that to observe them, and is audited',
    ({ scopes, action }) => {
      expect(scopes).toEqual(['a2a:tasks.observe', 'a2a:tasks.read']);
      expect(action).toBeDefined();
    },
  );
});

describe('the paths of the console', () => {
  it.each(['/console', '/console/', '/console/tasks', '/console/assets/a.js', '/console/tasks/1', '/console/apis'])(
    '%s is open',
    (path) => {
      expect(isConsolePage(path)).toBe(true);
    },
  );

  it.each(['/console/api', '/console/api/', '/console/api/tasks', '/consoles', '/', '/console2'])(
    '%s is not',
    (path) => {
      expect(isConsolePage(path)).toBe(false);
    },
  );
});

describe(consolePolicy, () => {
  it('lets nothing inline run, nothing foreign load and no text become HTML', () => {
    const policy = consolePolicy({ kind: 'open' });
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain('trusted-types parley');
    expect(policy).toContain("connect-src 'self';");
    expect(ASSET_POLICY).toBe("default-src 'none'; script-src 'self'");
  });

  it('lets the page ask the issuer, and its host only', () => {
    const login = {
      kind: 'code',
      issuer: 'https://login.example/realms/a',
      clientId: 'c',
      resource: 'r',
      dpop: false,
    } as const;
    expect(consolePolicy(login)).toContain("connect-src 'self' https://login.example;");
  });
});

describe(withConfig, () => {
  it('has the settings in the page as data, which no text of theirs can end', () => {
    const html = '<head><title>Parley</title></head>';
    const config = { traceUrl: "https://trace.example/</script><script>alert(1)</script>{traceId}$&$'" };
    const page = withConfig(html, JSON.stringify(config));
    const [, text = ''] = /<script id="config" type="application\/json">(.*?)<\/script>/s.exec(page) ?? [];
    expect(JSON.parse(text)).toEqual(config);
    expect(page.match(/<script/g)).toHaveLength(1);
  });
});

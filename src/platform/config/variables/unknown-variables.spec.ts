import { describe, expect, it } from '@jest/globals';
import { knownVariables } from '../../../main/app.environment.js';
import { unknownVariables } from './unknown-variables.js';

const unknown = (variables: Readonly<Record<string, string>>, more: readonly string[] = []) =>
  unknownVariables(variables, [...knownVariables(), ...more]);

describe(unknownVariables.name, () => {
  it.each([
    ['WORKER_CONCURENCY', 'WORKER_CONCURRENCY'],
    ['REDIS_ULR', 'REDIS_URL'],
    ['JWT_ISUSER', 'JWT_ISSUER'],
    ['API_KEY_FILE', 'API_KEYS_FILE'],
    ['PORTS', 'PORT'],
  ])('takes %s for %s', (name, meant) => {
    expect(unknown({ [name]: '1' })).toEqual([{ name, meant }]);
  });

  it('reports a name with a prefix of ours', () => {
    expect(unknown({ QUOTA_ELEPHANTS: '1' })).toEqual([{ name: 'QUOTA_ELEPHANTS' }]);
  });

  it('gives the reason why a variable of an earlier version is gone', () => {
    const gone = 'message ids are known as long as their task';
    expect(unknown({ KEEP_MESSAGE_IDS_SECONDS: '3600' })).toEqual([{ name: 'KEEP_MESSAGE_IDS_SECONDS', gone }]);
  });

  it('ignores variables of the service, a shell, npm, Kubernetes and OpenTelemetry', () => {
    const names = [
      'PORT',
      'REDIS_URL_FILE',
      'HOME',
      'PATH',
      'HOSTNAME',
      'SHELL',
      'TERM',
      'PWD',
      'USER',
      'LANG',
      'LOGNAME',
    ];
    const cluster = ['REDIS_PORT', 'REDIS_SERVICE_HOST', 'KUBERNETES_PORT', 'PARLEY_PORT_3000_TCP'];
    const others = [
      'npm_config_port',
      'NODE_ENV',
      'OTEL_EXPORTER_OTLP_TIMEOUT',
      'GRPC_TRACE',
      'TZ',
      'CI',
      'MAIL',
      'DEBUG',
    ];
    const variables = Object.fromEntries([...names, ...cluster, ...others].map((name) => [name, '1']));
    expect(unknown(variables)).toEqual([]);
  });

  it('knows names that others read', () => {
    expect(unknown({ APPROVAL_LIMIT: '1' }, ['APPROVAL_LIMIT'])).toEqual([]);
  });
});

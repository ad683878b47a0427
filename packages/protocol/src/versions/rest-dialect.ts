import type { A2AError } from '../model/errors.js';
import type { ProtocolVersion } from '../model/protocol-version.js';
import { requestedVersion, versionNotSupported, type StatedVersion } from './version.js';

/** The versions with an HTTP+JSON binding. */
export type RestVersion = Extract<ProtocolVersion, '1.0' | '0.3'>;

/**
 * The version of an HTTP+JSON call: paths under `/v1` are 0.3's, all others 1.0's (DISP-10; `v1` is no tenant's name).
 * A stated version must agree. An unprefixed path without one is 1.0, unless strict (A2A-REST-08, DISP-08). 0.2's paths
 * are 0.3's (V02-08).
 */
export function restDialect(hasV1Prefix: boolean, stated: StatedVersion, strict: boolean): RestVersion | A2AError {
  const version = requestedVersion(stated);
  if (hasV1Prefix) {
    return version === undefined || version === '0.3' || version === '0.2' ? '0.3' : versionNotSupported(['0.3']);
  }
  const isV1 = version === '1.0' || (version === undefined && !strict);
  return isV1 ? '1.0' : versionNotSupported(['1.0']);
}

import type { FieldViolation } from '@parley/protocol/model/errors.js';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import { isEventKind } from './event-filter.js';

/** A token (RFC 9110 §5.6.2): the grammar of an authentication scheme's name. */
const SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** Visible ASCII with single inner spaces, as some schemes have: never parsed as the end of a header line. */
const HEADER_VALUE = /^[!-~]+(?: [!-~]+)*$/;
const ID = /^[!-~]{1,256}$/;
const MAX_BYTES = 4096;
const MAX_WISHES = 16;

/** Violations of a webhook config except its URL; empty if it is valid. */
export function configViolations(config: TaskPushNotificationConfig): readonly FieldViolation[] {
  const { id, token, authentication, events } = config;
  const scheme = authentication?.scheme;
  return [
    ...violation(
      'id',
      id === undefined || id === '' || ID.test(id),
      'must be up to 256 printable ASCII characters without spaces',
    ),
    ...headerViolation('token', token === '' ? undefined : token),
    ...violation(
      'authentication.scheme',
      scheme === undefined || SCHEME.test(scheme),
      'must name an HTTP authentication scheme',
    ),
    ...headerViolation('authentication.credentials', authentication?.credentials),
    ...violation(
      'events',
      events === undefined || (events.length <= MAX_WISHES && events.every(isEventKind)),
      'must list status, artifact or names of task states',
    ),
  ];
}

function headerViolation(field: string, value: string | undefined): readonly FieldViolation[] {
  if (value === undefined) return [];
  const fits = value.length <= MAX_BYTES && HEADER_VALUE.test(value);
  return violation(field, fits, 'must be up to 4096 visible ASCII characters, as it is sent in a header');
}

function violation(field: string, holds: boolean, description: string): readonly FieldViolation[] {
  return holds ? [] : [{ field, description }];
}

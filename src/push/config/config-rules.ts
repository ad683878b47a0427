import type { FieldViolation } from '@parley/protocol/model/errors.js';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import { isEventKind } from './event-filter.js';

/** A token of RFC 9110 §5.6.2: what the name of an authentication scheme is made of. */
const SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** Visible ASCII, with single spaces inside as some schemes have: what no header parser can take for a line's end. */
const HEADER_VALUE = /^[!-~]+(?: [!-~]+)*$/;
const ID = /^[!-~]{1,256}$/;
const MOST_BYTES = 4096;
const MOST_WISHES = 16;

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
      events === undefined || (events.length <= MOST_WISHES && events.every(isEventKind)),
      'must list status, artifact or names of task states',
    ),
  ];
}

function headerViolation(field: string, value: string | undefined): readonly FieldViolation[] {
  if (value === undefined) return [];
  const fits = value.length <= MOST_BYTES && HEADER_VALUE.test(value);
  return violation(field, fits, 'must be up to 4096 visible ASCII characters, as it is sent in a header');
}

function violation(field: string, holds: boolean, description: string): readonly FieldViolation[] {
  return holds ? [] : [{ field, description }];
}

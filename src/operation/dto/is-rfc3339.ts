import { registerDecorator } from 'class-validator';
import { readTimestamp } from '../../protocol/timestamp.js';

/** Marks a text that must be a time as the protocol writes it (A2A-JSON-03, A2A-LIST-10). */
export function IsRfc3339(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isRfc3339',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value) => typeof value === 'string' && readTimestamp(value) !== undefined,
        defaultMessage: () => 'must be an RFC 3339 time with its zone, such as 2026-01-31T12:00:00Z',
      },
    });
  };
}

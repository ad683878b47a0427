import { registerDecorator } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { readTimeOrDay, readTimestamp } from '@parley/protocol/model/timestamp.js';

/** Marks a text that must be a time in the protocol's format (A2A-JSON-03, A2A-LIST-10). */
export function IsRfc3339(): PropertyDecorator {
  const rule = 'an RFC 3339 time with its zone, such as 2026-01-31T12:00:00Z';
  return readBy(readTimestamp, rule, { format: 'date-time' });
}

/** Marks a text that must be such a time or a date, for operators. */
export function IsTimeOrDay(): PropertyDecorator {
  const rule = 'an RFC 3339 time with its zone, or a day, such as 2026-01-31T12:00:00Z or 2026-01-31';
  return readBy(readTimeOrDay, rule, {});
}

function readBy(
  read: (text: string) => number | undefined,
  rule: string,
  schema: { readonly format?: string },
): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isRfc3339',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value) => typeof value === 'string' && read(value) !== undefined,
        defaultMessage: () => `must be ${rule}`,
      },
    });
    JSONSchema({ type: 'string', ...schema })(target, String(property));
  };
}

import { registerDecorator } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { isBase64 } from '@parley/protocol/json/base64.js';

/** Marks bytes in base64, of any length: class-validator's own rule can run out of stack (`isBase64`). */
export function IsBase64(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isBytes',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value) => typeof value === 'string' && isBase64(value),
        defaultMessage: () => 'must be base64 encoded',
      },
    });
    JSONSchema({ type: 'string', format: 'byte' })(target, String(property));
  };
}

import { registerDecorator, type ValidationArguments } from 'class-validator';
import { addressesFault } from '../../address/listed-address.js';

/** A setting that lists public addresses of the service. */
export function Addresses(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      // By this name the value is not repeated in a fault: it may have a password before its host.
      name: 'isUrl',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => typeof value === 'string' && addressesFault(value) === undefined,
        defaultMessage: (about?: ValidationArguments) =>
          addressesFault(String(about?.value as unknown)) ?? 'must be a URL address',
      },
    });
  };
}

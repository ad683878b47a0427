import { registerDecorator } from 'class-validator';
import { parseRedisAddress } from './redis-address.js';

/** A variable that says where Redis is, in one of the forms of `parseRedisAddress`. */
export function IsRedisAddress(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'redisAddress',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => faultOf(value) === undefined,
        defaultMessage: (given) => faultOf(given?.value) ?? '',
      },
    });
  };
}

/** The fault of an address; undefined for a valid one. */
function faultOf(value: unknown): string | undefined {
  try {
    parseRedisAddress(String(value));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

import { Transform } from 'class-transformer';
import { registerDecorator } from 'class-validator';

const MAX_AMOUNT = 1_000_000_000;

/** A setting that is a whole number between two bounds, both included. */
export function WholeNumber(least: number, most: number): PropertyDecorator {
  const isValid = (value: number): boolean => Number.isInteger(value) && value >= least && value <= most;
  return checkedNumber('wholeNumber', isValid, `must be a whole number from ${String(least)} to ${String(most)}`);
}

/** An amount of money, with six decimals at most. */
export function Amount(): PropertyDecorator {
  const isValid = (value: number): boolean =>
    value >= 0 && value < MAX_AMOUNT && /^\d+(\.\d{1,6})?$/.test(String(value));
  return checkedNumber('amount', isValid, 'must be an amount such as 2.50');
}

/** A setting that is a number, also where a variable has it as a text. @param message what it must be */
function checkedNumber(name: string, isValid: (value: number) => boolean, message: string): PropertyDecorator {
  return (target, property) => {
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? Number(value) : value))(target, property);
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => typeof value === 'number' && isValid(value),
        defaultMessage: () => message,
      },
    });
  };
}

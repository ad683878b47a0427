import { Transform } from 'class-transformer';
import { registerDecorator } from 'class-validator';

/** A variable that is a whole number between two bounds, both included. */
export function WholeNumber(least: number, most: number): PropertyDecorator {
  return (target, property) => {
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? Number(value) : value))(target, property);
    registerDecorator({
      name: 'wholeNumber',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
        defaultMessage: () => `must be a whole number from ${String(least)} to ${String(most)}`,
      },
    });
  };
}

import { Transform } from 'class-transformer';
import { registerDecorator } from 'class-validator';

const MAX_AMOUNT = 1_000_000_000;

/** An amount of money, with six decimals at most. */
export function Amount(): PropertyDecorator {
  return (target, property) => {
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? Number(value) : value))(target, property);
    registerDecorator({
      name: 'amount',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) =>
          typeof value === 'number' && value >= 0 && value < MAX_AMOUNT && /^\d+(\.\d{1,6})?$/.test(String(value)),
        defaultMessage: () => 'must be an amount such as 2.50',
      },
    });
  };
}

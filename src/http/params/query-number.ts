import { Transform } from 'class-transformer';

/** A number in a query, which only has texts; anything else is validated unchanged. */
export function QueryNumber(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && value !== '' ? Number(value) : value,
  );
}

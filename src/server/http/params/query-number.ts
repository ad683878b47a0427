import { Transform } from 'class-transformer';

/** A number in a query, where all is text; what is no text, or empty, is judged as it is. */
export function QueryNumber(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && value !== '' ? Number(value) : value,
  );
}

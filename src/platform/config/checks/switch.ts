import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';

/** A variable that is `true` or `false`; any other value is refused instead of coerced. */
export function Switch(): PropertyDecorator {
  return (target, property) => {
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))(
      target,
      property,
    );
    IsBoolean({ message: 'must be true or false' })(target, property);
  };
}

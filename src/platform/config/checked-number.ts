import { Transform } from 'class-transformer';
import { registerDecorator } from 'class-validator';

/** A setting that is a number, also where a variable has it as a text. @param message what it must be */
export function checkedNumber(name: string, isValid: (value: number) => boolean, message: string): PropertyDecorator {
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

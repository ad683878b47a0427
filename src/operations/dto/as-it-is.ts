import { Transform, type TransformFnParams } from 'class-transformer';

/**
 * Marks a member that holds any JSON of the caller. class-transformer copies it without members that are named as a
 * function of every object is, such as `toString`.
 */
export function AsItIs(): PropertyDecorator {
  return Transform(({ obj, key }: TransformFnParams): unknown => (obj as Readonly<Record<string, unknown>>)[key]);
}

import { type ClassConstructor, Type } from 'class-transformer';
import { IsArray, IsObject, ValidateNested } from 'class-validator';

/**
 * Marks a member that is an object of a DTO class. `@ValidateNested()` alone accepts an array of such objects, arrays of arrays,
 * and an absent member.
 */
export function NestedObject(type: () => ClassConstructor<object>): PropertyDecorator {
  return (target, property) => {
    IsObject()(target, property);
    ValidateNested()(target, property);
    Type(type)(target, property);
  };
}

/** Marks a member that is an array of objects of a DTO class. */
export function NestedObjects(type: () => ClassConstructor<object>): PropertyDecorator {
  return (target, property) => {
    IsArray()(target, property);
    IsObject({ each: true })(target, property);
    ValidateNested({ each: true })(target, property);
    Type(type)(target, property);
  };
}

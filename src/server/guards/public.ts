import { Reflector } from '@nestjs/core';

/** Marks a controller that everybody may use, and says why; a controller has this or a caller guard. */
export const Public = Reflector.createDecorator<string>();

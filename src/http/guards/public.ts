import { Reflector } from '@nestjs/core';

/** Marks a controller as public, with the reason; a controller has this or a caller guard. */
export const Public = Reflector.createDecorator<string>();

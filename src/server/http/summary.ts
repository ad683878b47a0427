import { Reflector } from '@nestjs/core';

/** What a route does, in a sentence: routes that have one are in `/openapi.json`. */
export const Summary = Reflector.createDecorator<string>();

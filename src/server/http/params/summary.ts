import { Reflector } from '@nestjs/core';

/** What a route does, in a sentence: routes that have one are in `/openapi.json`. */
export const Summary = Reflector.createDecorator<string>();

/** The media type of the answers of such a route, where it is not JSON. */
export const AnswerType = Reflector.createDecorator<string>();

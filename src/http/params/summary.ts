import { Reflector } from '@nestjs/core';

/** A route's description in a sentence: routes with one are in `/openapi.json`. */
export const Summary = Reflector.createDecorator<string>();

/** The media type of such a route's answers, if it is not JSON. */
export const AnswerType = Reflector.createDecorator<string>();

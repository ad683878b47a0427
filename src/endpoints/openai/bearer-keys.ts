import type { onRequestHookHandler } from 'fastify';
import { pathOf } from '../../http/request/request-headers.js';
import { OPENAI_PATH } from './openai-faults.js';

/** A JWT in compact form. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const BEARER = /^bearer +/i;

/**
 * Takes an API key from `Authorization: Bearer`, the only header that clients of OpenAI's API know: a value that is no
 * JWT counts as `X-Api-Key`. Authentication reads the raw headers.
 */
export const bearerKeys: onRequestHookHandler = (request, _reply, done) => {
  const { rawHeaders } = request.raw;
  if (pathOf(request).startsWith(`${OPENAI_PATH}/`)) {
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
      const key = value.replace(BEARER, '');
      if (name.toLowerCase() === 'authorization' && key !== value && !JWT.test(key))
        rawHeaders.splice(at, 2, 'x-api-key', key);
    }
  }
  done();
};

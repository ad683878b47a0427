import type { Principal } from '../../security/auth/principal.js';
import type { MessageSender } from '../../task/questions/sender.store.js';

/** The caller of a request as the sender of its message. */
export function senderOf({ tenant, client, subject, scopes }: Principal): MessageSender {
  return {
    ...{ tenant, client },
    ...(subject === undefined ? {} : { subject }),
    scopes: scopes === 'all' ? [] : scopes,
  };
}

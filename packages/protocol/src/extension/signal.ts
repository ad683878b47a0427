import type { Message } from '../model/message.js';

/** Names of signals: one word, so that scripts can search a list of them. */
const SIGNAL = /^\w[\w.-]{0,99}$/;

export function isSignal(name: string): boolean {
  return SIGNAL.test(name);
}

/** The signal that a message gives to the skill of its task: `metadata.signal`; '' for an ordinary message. */
export function signalOf({ metadata }: Pick<Message, 'metadata'>): string {
  const signal = metadata?.signal;
  return typeof signal === 'string' && isSignal(signal) ? signal : '';
}

/**
 * Extension of an agent whose streams resume after an event: `SubscribeToTask` and `SendStreamingMessage` take `Last-
 * Event-ID` with the id of an event that they have sent.
 */
export const STREAM_RESUME = 'urn:parley:extension:stream-resume:1';

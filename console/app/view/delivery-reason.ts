/** Why a delivery has failed or a webhook has ended, in words: `http_410` is the receiver's answer. */
export function reasonText(reason: string): string {
  if (reason === 'unreadable') return 'The key of its secrets is gone';
  const [, status] = /^http_(\d{3})$/.exec(reason) ?? [];
  return status === undefined ? reason.replaceAll('_', ' ') : `The receiver answered ${status}`;
}

/** The receiver's answer to an attempt, and the reason of a failure that the status alone does not show. */
export function answerText(status: number | undefined, reason: string | undefined): string {
  const why = reason === undefined || reason === `http_${String(status)}` ? [] : [reasonText(reason)];
  return [...(status === undefined ? [] : [String(status)]), ...why].join(', ');
}

/** Why a delivery has failed or a webhook has ended, in words: `http_410` is what the receiver has answered. */
export function reasonText(reason: string): string {
  if (reason === 'unreadable') return 'The key of its secrets is gone';
  const [, status] = /^http_(\d{3})$/.exec(reason) ?? [];
  return status === undefined ? reason.replaceAll('_', ' ') : `The receiver answered ${status}`;
}

/** What the receiver has answered to an attempt, and why that has failed where the status alone does not say it. */
export function answerText(status: number | undefined, reason: string | undefined): string {
  const why = reason === undefined || reason === `http_${String(status)}` ? [] : [reasonText(reason)];
  return [...(status === undefined ? [] : [String(status)]), ...why].join(', ');
}

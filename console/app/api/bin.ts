import { getJson, postJson } from './request.js';

/** A signed request to a webhook, as its receiver got it. */
export interface Delivery {
  readonly no: number;
  readonly taskId: string;
  readonly webhookId: string;
  readonly seq: number;
  readonly attempt: number;
  readonly at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Of the whole body. */
  readonly bytes: number;
  readonly isSigned: boolean;
}

/** The viewer's receiver at the service. */
export interface Bin {
  readonly url: string;
  readonly expiresAt: string;
}

/** Opens it, or keeps it for another hour. */
export const openBin = (): Promise<Bin> => postJson('/bin', {});

export const readBin = (
  after: number,
  signal: AbortSignal,
): Promise<Bin & { readonly deliveries: readonly Delivery[] }> => getJson(`/bin?after=${String(after)}`, signal);

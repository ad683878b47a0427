import type { INestApplicationContext } from '@nestjs/common';
import { type TenantUse, TenantUseReader } from '../../tasks/lists/tenant-use.js';
import { type Output, table } from './output.js';

/** A tenant's use of language models in the last two days, and its daily limits. */
export async function showModelUse(service: INestApplicationContext, tenant: string): Promise<Output> {
  const use = await service.get(TenantUseReader, { strict: false }).of(tenant);
  return { json: { tenant, ...use }, text: useText(use) };
}

/** Reserved tokens count as used until their call has ended. */
export function useText({ days, most }: TenantUse): string {
  const ofTokens = most.tokens === undefined ? '' : ` of ${String(most.tokens)}`;
  const ofMoney = most.micros === undefined ? '' : ` of ${moneyText(most.micros)}`;
  const rows = days.map(({ day, tokens, micros }) => [
    day,
    `${String(tokens)}${ofTokens}`,
    `${moneyText(micros)}${ofMoney}`,
  ]);
  return table(['day', 'tokens', 'cost'], rows);
}

function moneyText(micros: number): string {
  return (micros / 1_000_000).toFixed(4);
}

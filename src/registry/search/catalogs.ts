import { Injectable } from '@nestjs/common';
import { RegistryStore } from '../store/registry.store.js';
import { TenantCatalog } from './tenant-catalog.js';

/** Agents of all tenants in this process's memory, about 10 KiB each. */
const MAX_AGENTS = 20_000;

/** The catalogues of the tenants that use this process; the least recently used ones are dropped. */
@Injectable()
export class Catalogs {
  private readonly byTenant = new Map<string, TenantCatalog>();

  constructor(private readonly store: RegistryStore) {}

  /** The current catalogue of a tenant. */
  async of(tenant: string): Promise<TenantCatalog> {
    const catalog = this.byTenant.get(tenant) ?? new TenantCatalog(tenant, this.store);
    this.byTenant.delete(tenant);
    this.byTenant.set(tenant, catalog);
    await catalog.refresh();
    this.drop();
    return catalog;
  }

  private drop(): void {
    let agents = [...this.byTenant.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [tenant, { size }] of this.byTenant) {
      if (agents <= MAX_AGENTS || this.byTenant.size === 1) return;
      this.byTenant.delete(tenant);
      agents -= size;
    }
  }
}

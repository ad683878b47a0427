import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from './config/environment.js';
import { parseAllowList } from './egress/allow-list.js';
import { GuardedClient } from './egress/guarded-client.js';
import { type FetchedFile, FileFetcher } from './skill/catalog/invoice/document/file-fetcher.js';

/** Gets the files behind `url` parts for skills, by the guarded way out and without credentials (A2A-SEC-03). */
@Module({})
export class FilesModule {
  static forRoot({ EGRESS_ALLOW }: Environment): DynamicModule {
    const allow = parseAllowList(EGRESS_ALLOW ?? '');
    const client = new GuardedClient({ ports: [443], allowHttp: false, allow });
    return {
      module: FilesModule,
      global: true,
      providers: [{ provide: FileFetcher, useValue: guardedFiles(client) }],
      exports: [FileFetcher],
    };
  }
}

function guardedFiles(client: GuardedClient): FileFetcher {
  return {
    async fetch(url, { maxBytes, signal }): Promise<FetchedFile> {
      const { status, headers, body, truncated } = await client.request({ method: 'GET', url, maxBytes, signal });
      if (status !== 200) throw new Error(`The file's server answered ${String(status)}`);
      if (truncated) throw new Error(`The file has more than ${String(maxBytes)} bytes`);
      const mediaType = headers['content-type'];
      return { bytes: body, ...(mediaType === undefined ? {} : { mediaType }) };
    },
  };
}

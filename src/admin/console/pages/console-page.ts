import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { type ConsoleFile, ConsoleFiles } from './console-files.js';
import { ConsoleOptions } from '../console.options.js';

/**
 * The single page of the console. Contains the login method and link targets, so that its script needs no request for
 * them.
 */
@Injectable()
export class ConsolePage {
  private page: ConsoleFile | undefined;

  constructor(
    private readonly files: ConsoleFiles,
    @Inject(ConsoleOptions) private readonly options: ConsoleOptions,
  ) {}

  /** Undefined if the console is not built. */
  read(): ConsoleFile | undefined {
    this.page ??= this.compose();
    return this.page;
  }

  private compose(): ConsoleFile | undefined {
    const file = this.files.find('index.html');
    if (file === undefined) return undefined;
    const { version, login, ownership, features, hasAgents, traceUrl, logUrl, scopes } = this.options;
    const shown = { version, login, ownership, features, hasAgents, traceUrl, logUrl, scopes };
    const config = JSON.stringify(shown);
    const plain = Buffer.from(withConfig(file.plain.toString(), config));
    return { type: file.type, plain, br: brotliCompressSync(plain), gzip: gzipSync(plain) };
  }
}

/**
 * Embeds the config as a data block, which is not a script: the page's policy, which refuses inline scripts, permits
 * it. No text can end it early.
 */
export function withConfig(html: string, config: string): string {
  const text = config.replaceAll('<', String.raw`\u003c`);
  return html.replace('</head>', () => `<script id="config" type="application/json">${text}</script></head>`);
}

import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../../http/guards/public.js';
import { unknownPath } from '../../../http/errors.js';
import { headerOf } from '../../../http/request/request-headers.js';
import { type ConsoleFile, ConsoleFiles } from './console-files.js';
import { ConsolePage } from './console-page.js';
import { ASSET_POLICY, consolePolicy } from './console-policy.js';
import { ConsoleOptions } from '../console.options.js';

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Whether a path is one of the public pages and files, and not of the protected API. */
export function isConsolePage(path: string): boolean {
  return (path === '/console' || path.startsWith('/console/')) && !/^\/console\/api(\/|$)/.test(path);
}

/** Serves the console's pages. They hold no data: all data comes from the API, to its callers only. */
@Public('pages and scripts are the same for everybody; what they show comes from the API, which has guards')
@Controller('console')
export class ConsolePagesController {
  constructor(
    private readonly files: ConsoleFiles,
    private readonly index: ConsolePage,
    @Inject(ConsoleOptions) private readonly options: ConsoleOptions,
  ) {}

  @Get('assets/*')
  asset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    void reply.header('content-security-policy', ASSET_POLICY);
    this.send(this.files.find(pathOf(request)), IMMUTABLE, { request, reply });
  }

  @Get()
  home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.page(request, reply);
  }

  /** The browser selects the screen by the path. */
  @Get('*')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    void reply.header('content-security-policy', consolePolicy(this.options.login));
    this.send(this.index.read(), 'no-cache', { request, reply });
  }

  private send(
    file: ConsoleFile | undefined,
    caching: string,
    { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  ): void {
    if (file === undefined) throw unknownPath();
    const { coding, body } = codedFor(headerOf(request, 'accept-encoding') ?? '', file);
    const headers = { 'content-type': file.type, 'cache-control': caching, vary: 'Accept-Encoding' };
    void reply.headers({ ...headers, ...(coding === undefined ? {} : { 'content-encoding': coding }) }).send(body);
  }
}

/** The smallest encoding that the browser accepts. */
function codedFor(
  accepted: string,
  { plain, br, gzip }: ConsoleFile,
): { readonly coding?: string; readonly body: Buffer } {
  const takes = (coding: string): boolean =>
    new RegExp(`(^|[, ])${coding}($|[, ;])(?!\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted);
  if (br !== undefined && takes('br')) return { coding: 'br', body: br };
  if (gzip !== undefined && takes('gzip')) return { coding: 'gzip', body: gzip };
  return { body: plain };
}

/** Path below `/console/`, without the query. */
function pathOf(request: FastifyRequest): string {
  return (request.raw.url ?? '').split('?', 1)[0]?.slice('/console/'.length) ?? '';
}

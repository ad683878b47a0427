import { IsIn, IsOptional, IsString, Matches, MinLength } from 'class-validator';
import { Addresses } from '../checks/addresses.js';
import { Setting } from './setting.js';
import { WholeNumber } from '../checks/numbers.js';

export const ROLES = ['all', 'api', 'worker', 'dispatcher'] as const;
export type ServiceRole = (typeof ROLES)[number];

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Whether a 1.0 call must state its version (A2A 1.0 §3.6.2). */
const VERSION_CHECKS = ['lenient', 'strict'] as const;

/** The process itself: addresses, role, skills and shutdown. */
export class ServiceSettings {
  @Setting('Port of the HTTP server.')
  @WholeNumber(0, 65_535)
  readonly PORT: number = 3000;

  @Setting('Listen address of all servers. Without authentication it must be loopback.')
  @IsString()
  @MinLength(1)
  readonly HOST: string = '127.0.0.1';

  @Setting('Role of the process: all | api | worker | dispatcher. Every role except all needs REDIS_URL.')
  @IsIn(ROLES)
  readonly ROLE: ServiceRole = 'all';

  @Setting(
    'Address of the service in the agent card, if it differs from the listen address. Several, separated by commas, where callers have several ways here: each gets the card and links of the address that it used (docs/operations.md).',
  )
  @IsOptional()
  @Addresses()
  readonly PUBLIC_URL?: string;

  @Setting('Port of the gRPC server. If empty, gRPC is off.')
  @IsOptional()
  @WholeNumber(0, 65_535)
  readonly GRPC_PORT?: number;

  @Setting(
    'Address of the gRPC server in the agent card (host:port), if it differs from the listen address. With several in PUBLIC_URL one for each, in their order; - is none.',
  )
  @IsOptional()
  @Matches(/^(?:-|[^\s/,]+:\d{1,5})(?:\s*,\s*(?:-|[^\s/,]+:\d{1,5}))*$/, { message: 'must have the form host:port' })
  readonly GRPC_PUBLIC_ADDRESS?: string;

  @Setting('Port of /metrics. If empty, /metrics is on PORT when HOST is loopback, and disabled otherwise.')
  @IsOptional()
  @WholeNumber(0, 65_535)
  readonly METRICS_PORT?: number;

  @Setting('debug | info | warn | error | silent')
  @IsIn(LOG_LEVELS)
  readonly LOG_LEVEL: LogLevel = 'info';

  @Setting('Folder for persistent data of a single process: the embedded Redis, and keys that are not set.')
  @IsString()
  @MinLength(1)
  readonly DATA_DIR: string = 'data';

  @Setting(
    'Packs of skills, separated by commas: folders of skills/, paths (./my-skills) or npm packages. If empty, all of skills/. See docs/skills.md.',
  )
  @IsOptional()
  @IsString()
  readonly SKILLS?: string;

  @Setting(
    'The skill for messages without a skill id. If empty: echo where it is loaded, else the only skill that reads the message.',
  )
  @IsOptional()
  @IsString()
  @MinLength(1)
  readonly DEFAULT_SKILL?: string;

  @Setting('Concurrent runs in one worker process.')
  @WholeNumber(1, 1000)
  readonly WORKER_CONCURRENCY: number = 64;

  @Setting('Milliseconds after SIGTERM for running skills to finish; then their runs are requeued for another worker.')
  @WholeNumber(0, 3_600_000)
  readonly DRAIN_MS: number = 25_000;

  @Setting(
    'Milliseconds between SIGTERM (/health/ready answers 503 from then on) and the close of the listening socket, for balancers that poll readiness.',
  )
  @WholeNumber(0, 120_000)
  readonly LEAVE_DELAY_MS: number = 0;

  @Setting('Milliseconds after which a blocking call returns the current task.')
  @WholeNumber(100, 600_000)
  readonly BLOCKING_MS: number = 60_000;

  @Setting('The same for A2A 0.1 (tasks/send), whose clients expect a quick answer; 0 answers at once.', {
    was: 'BRIEF_WAIT_MS',
  })
  @WholeNumber(0, 60_000)
  readonly blockingMsOf01: number = 500;

  @Setting('lenient: an A2A 1.0 method without the header A2A-Version is accepted as 1.0. strict: it is refused.', {
    was: 'A2A_VERSION_CHECK',
  })
  @IsIn(VERSION_CHECKS)
  readonly versionCheck: (typeof VERSION_CHECKS)[number] = 'lenient';
}

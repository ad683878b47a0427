import { IsIn, IsOptional, IsString, IsUrl, Matches, MinLength } from 'class-validator';
import { HTTP_URL } from './http-url.js';
import { ModelEnvironment } from './model-environment.js';
import { IsRedisAddress } from './is-redis-address.js';
import { Switch } from './switch.js';
import { WholeNumber } from './whole-number.js';

export const ROLES = ['all', 'api', 'worker', 'dispatcher'] as const;
export type ServiceRole = (typeof ROLES)[number];

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Whether a 1.0 call must state its version (A2A 1.0 §3.6.2). */
export const VERSION_CHECKS = ['lenient', 'strict'] as const;

/** Which revisions of MCP are served: the stateless one, those with sessions, or both. */
export const MCP_ERAS = ['both', 'modern', 'legacy'] as const;

/** Exporters of spans. */
const TRACES_EXPORTERS = ['otlp', 'console', 'none'] as const;

/** Protocols of OTLP. */
const OTLP_PROTOCOLS = ['grpc', 'http/protobuf', 'http/json'] as const;

const DAY_SECONDS = 86_400;
/** Ten years: longer retention needs an archive. */
const MOST_SECONDS = 3650 * DAY_SECONDS;

/** The parsed variables of the service; `.env.example` explains each. */
export class Environment extends ModelEnvironment {
  @WholeNumber(0, 65_535)
  readonly PORT: number = 3000;

  @IsString()
  @MinLength(1)
  readonly HOST: string = '127.0.0.1';

  @IsIn(ROLES)
  readonly ROLE: ServiceRole = 'all';

  @IsString()
  @MinLength(1)
  readonly DATA_DIR: string = 'data';

  @IsOptional()
  @IsRedisAddress()
  readonly REDIS_URL?: string;

  @WholeNumber(1, DAY_SECONDS)
  readonly REDIS_LOADING_SECONDS: number = 600;

  @WholeNumber(0, 10)
  readonly REDIS_WAIT_REPLICAS: number = 0;

  @WholeNumber(10, 1000)
  readonly REDIS_WAIT_MS: number = 500;

  @WholeNumber(1, MOST_SECONDS)
  readonly KEEP_FINISHED_SECONDS: number = 7 * DAY_SECONDS;

  @WholeNumber(1, MOST_SECONDS)
  readonly KEEP_UNANSWERED_SECONDS: number = 30 * DAY_SECONDS;

  @WholeNumber(1, MOST_SECONDS)
  readonly KEEP_UNSTARTED_SECONDS: number = DAY_SECONDS;

  @WholeNumber(1, 32)
  readonly TREE_DEPTH: number = 8;

  @WholeNumber(1, 5_000)
  readonly TREE_CHILDREN: number = 1_000;

  @WholeNumber(1, 10_000)
  readonly TREE_TASKS: number = 10_000;

  @WholeNumber(0, 3_600_000)
  readonly ASK_AFTER_MS: number = 5_000;

  @IsOptional()
  @IsString()
  readonly REDIS_SERVER_BIN?: string;

  @Matches(/^[\w-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, _ or -' })
  readonly KEY_PREFIX: string = 'parley';

  @IsIn(LOG_LEVELS)
  readonly LOG_LEVEL: LogLevel = 'info';

  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly PUBLIC_URL?: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  readonly DEFAULT_SKILL?: string;

  /** Other agents that skills of this service may call. */
  @IsOptional()
  @IsString()
  readonly AGENTS_FILE?: string;

  /** Tool servers that skills of this service may call. */
  @IsOptional()
  @IsString()
  readonly MCP_SERVERS_FILE?: string;

  @WholeNumber(1, 1000)
  readonly WORKER_CONCURRENCY: number = 64;

  @WholeNumber(0, 3_600_000)
  readonly DRAIN_MS: number = 25_000;

  @WholeNumber(0, 120_000)
  readonly LEAVE_DELAY_MS: number = 0;

  @IsOptional()
  @WholeNumber(0, 65_535)
  readonly METRICS_PORT?: number;

  @WholeNumber(100, 600_000)
  readonly BLOCKING_MS: number = 60_000;

  @WholeNumber(0, 60_000)
  readonly BRIEF_WAIT_MS: number = 500;

  @IsOptional()
  @WholeNumber(0, 65_535)
  readonly GRPC_PORT?: number;

  @IsOptional()
  @Matches(/^[^\s/]+:\d{1,5}$/, { message: 'must have the form host:port' })
  readonly GRPC_PUBLIC_ADDRESS?: string;

  @Switch()
  readonly MCP: boolean = false;

  @IsIn(MCP_ERAS)
  readonly MCP_ERAS: (typeof MCP_ERAS)[number] = 'both';

  @WholeNumber(0, 60_000)
  readonly MCP_TASK_AFTER_MS: number = 2_000;

  @WholeNumber(100, 600_000)
  readonly MCP_WAIT_MS: number = 50_000;

  @Switch()
  readonly MCP_TASK_TOOLS: boolean = true;

  @IsOptional()
  @IsString()
  readonly MCP_ALLOWED_ORIGINS?: string;

  @IsOptional()
  @IsString()
  readonly MCP_AUDIENCE?: string;

  @Switch()
  readonly MCP_ACCEPT_SERVICE_AUDIENCE: boolean = false;

  @IsOptional()
  @IsString()
  readonly CARD_FILE?: string;

  @IsOptional()
  @IsString()
  readonly POLICY_FILE?: string;

  @IsOptional()
  @IsString()
  readonly CARD_SIGNING_KEYS?: string;

  @IsIn(VERSION_CHECKS)
  readonly A2A_VERSION_CHECK: (typeof VERSION_CHECKS)[number] = 'lenient';

  @IsOptional()
  @IsString()
  readonly SECRET_KEYS?: string;

  @IsOptional()
  @IsString()
  readonly EGRESS_ALLOW?: string;

  @Switch()
  readonly WEBHOOK_CHALLENGE: boolean = false;

  @IsString()
  readonly AUDIT_LOG: string = 'stdout';

  @IsOptional()
  @IsString()
  readonly SKILLS?: string;

  @Switch()
  readonly OTEL_SDK_DISABLED: boolean = false;

  @IsOptional()
  @IsIn(TRACES_EXPORTERS)
  readonly OTEL_TRACES_EXPORTER?: (typeof TRACES_EXPORTERS)[number];

  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  @IsOptional()
  @IsUrl(HTTP_URL)
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;

  @IsOptional()
  @IsIn(OTLP_PROTOCOLS)
  readonly OTEL_EXPORTER_OTLP_PROTOCOL?: (typeof OTLP_PROTOCOLS)[number];

  @IsOptional()
  @IsIn(OTLP_PROTOCOLS)
  readonly OTEL_EXPORTER_OTLP_TRACES_PROTOCOL?: (typeof OTLP_PROTOCOLS)[number];
}

/** Starts the service in a process that has loaded its modules. */
export interface DevStart {
  readonly kind: 'start';
  /** Absent: REDIS_URL of the project. */
  readonly redisUrl?: string;
  /** The folders of skills, where the project has no config file. */
  readonly folder: string;
  readonly isFirst: boolean;
}

/** The service answers calls. */
export interface DevReady {
  readonly kind: 'ready';
  readonly address: string;
  readonly skills: readonly string[];
}

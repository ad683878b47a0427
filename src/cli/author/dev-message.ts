/** Asks a process with loaded modules to create the service. */
export interface DevStart {
  readonly kind: 'start';
  /** Absent: REDIS_URL of the project. */
  readonly redisUrl?: string;
  /** The folders of skills, where the project has no config file. */
  readonly folder: string;
  readonly isFirst: boolean;
}

/** The skills are loaded and the service is created; it waits for `DevListen`. */
export interface DevLoaded {
  readonly kind: 'loaded';
}

/** The previous service has ended: its ports are free. */
export interface DevListen {
  readonly kind: 'listen';
}

/** The service answers calls. */
export interface DevReady {
  readonly kind: 'ready';
  readonly address: string;
  readonly skills: readonly string[];
}

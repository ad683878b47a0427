import { Server, ServerCredentials } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { Inject, Injectable, type OnApplicationBootstrap, type BeforeApplicationShutdown } from '@nestjs/common';
import { HealthImplementation, service as HEALTH } from 'grpc-health-check';
import { GrpcAddress } from '../../platform/address/grpc-address.js';
import { MAX_BODY } from '../request/request-body.js';
import { GrpcBinding } from './grpc.binding.js';
import { GRPC_DIALECTS } from './grpc-dialects.js';
import { GrpcOptions } from './grpc.options.js';
import { descriptorFiles } from './schema/schema.js';
import { boundResets } from './stream-resets.js';

/** Calls that are still open this long after shutdown began are ended. */
const LEAVE_MS = 1_000;

/** Maximum open calls on one connection, including streams; clients queue more, or open another connection. */
const MAX_CALLS = 200;

/** The gRPC server of this process: A2A of both versions, health (grpc.health.v1) and reflection (A2A-GRPC-06). */
@Injectable()
export class GrpcServer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly server: Server;
  private readonly health = new HealthImplementation(
    Object.fromEntries(['', ...GRPC_DIALECTS.map(({ service }) => service.typeName)].map((name) => [name, 'SERVING'])),
  );

  constructor(
    private readonly binding: GrpcBinding,
    private readonly address: GrpcAddress,
    @Inject(GrpcOptions) private readonly options: GrpcOptions,
  ) {
    this.server = new Server({
      'grpc.max_receive_message_length': MAX_BODY,
      'grpc.keepalive_time_ms': options.pingMs,
      'grpc.keepalive_timeout_ms': options.pingMs,
      'grpc.max_concurrent_streams': MAX_CALLS,
      interceptors: [binding.authInterceptor()],
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const services = GRPC_DIALECTS.map((dialect) => this.binding.service(dialect));
    for (const { definition, implementation } of services) this.server.addService(definition, implementation);
    this.health.addToServer(this.server);
    reflection().addToServer(this.server);
    this.address.port = await this.bind();
    boundResets(this.server);
  }

  /** Streams and waiting calls have been ended before; the rest gets a moment and is then aborted. */
  async beforeApplicationShutdown(): Promise<void> {
    this.health.setStatus('', 'NOT_SERVING');
    await new Promise<void>((resolve) => {
      const cut = setTimeout(() => {
        this.server.forceShutdown();
      }, LEAVE_MS);
      this.server.tryShutdown(() => {
        clearTimeout(cut);
        resolve();
      });
    });
  }

  private async bind(): Promise<number> {
    const { host, port } = this.options;
    const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    return new Promise((resolve, reject) => {
      this.server.bindAsync(place, ServerCredentials.createInsecure(), (cause, bound) => {
        if (cause === null) resolve(bound);
        else reject(new Error(`GRPC_PORT ${port} on ${host} cannot be used: choose another one.`, { cause }));
      });
    });
  }
}

/** Server reflection: lists the services and methods for tools, and the details of errors, from their descriptors. */
function reflection(): ReflectionService {
  const format = 'Protocol Buffer 3 EnumDescriptorProto';
  const health = Object.values(HEALTH).flatMap(({ requestType }) => requestType.fileDescriptorProtos);
  return new ReflectionService({ a2a: { format, type: {}, fileDescriptorProtos: [...descriptorFiles(), ...health] } });
}

import { Injectable } from '@nestjs/common';

/** The gRPC address of this process, for the card; `port` is undefined while gRPC is not served. */
@Injectable()
export class GrpcAddress {
  port: number | undefined;
}

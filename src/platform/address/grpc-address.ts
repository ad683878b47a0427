import { Injectable } from '@nestjs/common';

/** Where this process serves gRPC, for the card; `port` is undefined while it does not. */
@Injectable()
export class GrpcAddress {
  port: number | undefined;
}

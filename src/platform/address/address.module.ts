import { Global, Module } from '@nestjs/common';
import { GrpcAddress } from './grpc-address.js';
import { PublicAddress } from './public-address.js';

/** Knows where this process listens, for whoever has to tell callers. */
@Global()
@Module({ providers: [GrpcAddress, PublicAddress], exports: [GrpcAddress, PublicAddress] })
export class AddressModule {}

import { Module } from '@nestjs/common';
import { GrpcAddress } from './grpc-address.js';
import { PublicAddress } from './public-address.js';

/** The addresses on which this process listens. */
@Module({ providers: [GrpcAddress, PublicAddress], exports: [GrpcAddress, PublicAddress] })
export class AddressModule {}

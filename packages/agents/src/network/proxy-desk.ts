import type { Socket } from 'node:net';
import type { ResolveTarget } from './resolve-target.js';

export type ProxyLimits = {
  connections: number;
  headerBytes: number;
  /** Time for a program to send its request or its TLS greeting. */
  headersMs: number;
  connectMs: number;
  /** Time without a byte in either direction. Long, because a model may think for minutes. */
  idleMs: number;
};

/** What the handlers of requests and tunnels share. */
export type ProxyDesk = {
  resolve: ResolveTarget;
  refuse: (target: string) => void;
  limits: ProxyLimits;
  /** Remembers a connection, so that it ends with the proxy. */
  track: (socket: Socket) => void;
};

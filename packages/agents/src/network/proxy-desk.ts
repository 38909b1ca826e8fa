import type { Socket } from 'node:net';
import type { ResolveTarget } from './resolve-target.js';

export type ProxyLimits = {
  /** Maximum number of connections from programs, and of connections to hosts. */
  connections: number;
  headerBytes: number;
  /** Maximum time for a program to send its request or its ClientHello. */
  headersMs: number;
  connectMs: number;
  /** Maximum time without a byte in either direction. Long, because a model may think for minutes. */
  idleMs: number;
};

/** State and functions that the request and tunnel handlers share. */
export type ProxyDesk = {
  resolve: ResolveTarget;
  refuse: (target: string) => void;
  limits: ProxyLimits;
  /** Registers a connection, so that closing the proxy closes it too. Closes it at once if the proxy is closed. */
  track: (socket: Socket) => void;
};

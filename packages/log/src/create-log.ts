import { chmodSync, mkdirSync } from 'node:fs';
import type { Log } from '@mergexo/core/basics';
import { createRedact } from '@mergexo/core/text';
import { pino, stdSerializers } from 'pino';
import { createStream } from 'rotating-file-stream';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogSink = {
  log: Log;
  /** Waits until the lines are on disk. */
  close(): Promise<void>;
};

/**
 * JSON lines to standard output and to rotating files. The finished line is what gets redacted: whatever field, message
 * or cause of an error a secret hides in, it passes here.
 */
export function createLog(options: {
  app: string;
  level: LogLevel;
  /** Loaded credentials, removed by value wherever they show up. */
  secrets: readonly string[];
  /** No files without it. */
  dir?: string;
  stdout?: { write(line: string): unknown };
}): LogSink {
  const { app, level, secrets, dir, stdout = process.stdout } = options;
  const redact = createRedact(secrets);
  const file = dir === undefined ? undefined : openFile(dir, app);
  const write = (line: string): void => {
    const clean = redact(line);
    stdout.write(clean);
    file?.write(clean);
  };
  const log = pino(
    {
      level,
      base: { app, pid: process.pid },
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    { write },
  );
  return {
    log,
    close: () => new Promise((resolve) => (file === undefined ? resolve() : file.end(() => resolve()))),
  };
}

/** A Redis client hangs the failed command on its errors: the password of AUTH, or megabytes of a parcel. */
function describeError(error: Error): unknown {
  const { cause } = error;
  const facts = Object.entries({ ...stdSerializers.err(error) }).filter(
    ([key]) => !['command', 'cause'].includes(key),
  );
  return {
    ...Object.fromEntries(facts),
    message: describeMessage(error),
    stack: error.stack,
    ...(cause instanceof Error && { cause: describeError(cause) }),
  };
}

/** With its cause, unless that is in it already; deeper causes are fields of their own. */
function describeMessage({ message, cause }: Error): string {
  if (!(cause instanceof Error) || message.includes(cause.message)) return message;
  return `${message}: ${cause.message}`;
}

function openFile(dir: string, app: string) {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  // Logs may quote private repositories: nobody else reads them.
  const file = createStream(`${app}.jsonl`, { path: dir, size: '10M', maxFiles: 10, mode: 0o600 });
  // A full disk must not end the process: standard output still has the line.
  file.on('error', () => {});
  file.on('warning', () => {});
  return file;
}

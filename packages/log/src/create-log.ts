import { chmodSync, mkdirSync } from 'node:fs';
import type { Log } from '@mergexo/core/basics';
import { createRedact, escapeInvisible, type Redact, redactJson } from '@mergexo/core/text';
import { pino, stdSerializers } from 'pino';
import { createStream } from 'rotating-file-stream';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogSink = {
  log: Log;
  /** Waits until all lines are written to the file. */
  close(): Promise<void>;
};

/**
 * Writes JSON lines to standard output and to rotating files. Redacts every string of the finished line, so that a
 * secret in any field, message or error cause is removed and the line stays valid JSON.
 */
export function createLog(options: {
  app: string;
  level: LogLevel;
  /** Removes credentials from every line. */
  redact?: Redact;
  /** The directory for log files. If absent, no files are written. */
  dir?: string;
  stdout?: { write(line: string): unknown };
}): LogSink {
  const { app, level, redact = createRedact([]), dir, stdout = process.stdout } = options;
  const file = dir === undefined ? undefined : openFile(dir, app);
  const write = (line: string): void => {
    const clean = `${escapeInvisible(redactJson(line.trimEnd(), redact))}\n`;
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

/** Drops the failed command from a Redis client's error, because it may contain the password or a large parcel. */
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

/** Appends the cause unless the message already contains it. Deeper causes are separate fields. */
function describeMessage({ message, cause }: Error): string {
  if (!(cause instanceof Error) || message.includes(cause.message)) return message;
  return `${message}: ${cause.message}`;
}

function openFile(dir: string, app: string) {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  // Only the owner can read the logs, because they may quote private repositories.
  const file = createStream(`${app}.jsonl`, { path: dir, size: '10M', maxFiles: 10, mode: 0o600 });
  // A full disk must not end the process, and standard output still gets the line.
  file.on('error', () => {});
  file.on('warning', () => {});
  return file;
}

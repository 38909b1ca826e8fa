import { type ChildProcess, spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { gitEnv } from '../basics/git-env.js';

export type BackendCall = {
  request: IncomingMessage;
  /** The whole body as an open file. Its length is the true one: git waits for ever for what was promised and not sent. */
  body: { fd: number; length: number };
  root: string;
  /** `/owner/name.git/git-upload-pack` and the like. */
  pathInfo: string;
  search: string;
  user: string;
  env?: Record<string, string>;
  /** When it resolves, nobody wants the answer any more and git is ended. */
  abandoned?: Promise<void>;
  onHead: (status: number, headers: Record<string, string>) => void;
  onData: (chunk: Buffer) => void;
};

/** Lets `git http-backend` (CGI) answer a request; resolves when git is done with it. */
export function runHttpBackend(call: BackendCall): Promise<void> {
  return new Promise((resolve, reject) => {
    // A group of its own: git works through children, and they have to end with it.
    const child = spawn('git', ['http-backend'], {
      env: toEnv(call),
      stdio: [call.body.fd, 'pipe', 'ignore'],
      detached: true,
    });
    void call.abandoned?.then(() => killGroup(child));

    let head: Buffer | undefined = Buffer.alloc(0);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (!head) return call.onData(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const { status, headers } = parseHead(head.subarray(0, end).toString());
      call.onHead(status, headers);
      if (head.length > end + 4) call.onData(head.subarray(end + 4));
      head = undefined;
    });
    child.on('error', reject);
    child.on('close', () => resolve());
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended in this very moment.
  }
}

function toEnv({ request, body, root, pathInfo, search, user, env }: BackendCall): Record<string, string> {
  const { headers } = request;
  const protocol = headers['git-protocol'];
  return gitEnv({
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: pathInfo,
    QUERY_STRING: search,
    REQUEST_METHOD: request.method ?? 'GET',
    CONTENT_TYPE: headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
    GIT_PROTOCOL: typeof protocol === 'string' ? protocol : '',
    REMOTE_USER: user,
    REMOTE_ADDR: '127.0.0.1',
    CONTENT_LENGTH: String(body.length),
    ...env,
  });
}

function parseHead(text: string): { status: number; headers: Record<string, string> } {
  let status = 200;
  const headers: Record<string, string> = {};
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else headers[name] = value;
  }
  return { status, headers };
}

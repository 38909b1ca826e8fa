import { type ChildProcess, spawn } from 'node:child_process';
import { gitEnv } from '../basics/git-env.js';
import type { Incoming } from '../http/messages.js';
import type { Wire } from '../http/send.js';

export type BackendCall = {
  request: Incoming;
  /** The complete body. With a partial body, git would wait forever for the missing bytes. */
  body: Buffer;
  root: string;
  /** For example `/owner/name.git/git-upload-pack`. */
  pathInfo: string;
  search: string;
  user: string;
  env?: Record<string, string>;
  /** Resolves when the client disconnects. Git is then killed. */
  abandoned?: Promise<void>;
};

/** Passes a request to `git http-backend` (CGI) and returns its response. */
export function runHttpBackend(call: BackendCall): Promise<Wire> {
  return new Promise((resolve, reject) => {
    // Git runs in its own process group, so that its children can be killed with it.
    const child = spawn('git', ['http-backend'], {
      env: toEnv(call),
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    void call.abandoned?.then(() => killGroup(child));
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    // Git may reject the request before it has read the whole body.
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', () => resolve(parseAnswer(Buffer.concat(chunks))));
    child.stdin.end(call.body);
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has already ended.
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

function parseAnswer(output: Buffer): Wire {
  const end = output.indexOf('\r\n\r\n');
  if (end < 0) return { status: 500, headers: {}, body: Buffer.alloc(0) };
  const head = output.subarray(0, end).toString();
  const fields = head.split('\r\n').map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const status = fields.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200';
  return {
    status: Number.parseInt(status, 10),
    headers: Object.fromEntries(fields.filter(([name]) => name.toLowerCase() !== 'status')),
    body: output.subarray(end + 4),
  };
}

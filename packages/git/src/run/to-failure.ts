import { Failure, type FailureKind } from '@mergexo/core/basics';
import { codeOf } from '@mergexo/process';

type GitError = { action: string; code: number; stderr: string };

type Rule = readonly [pattern: RegExp, kind: FailureKind, advice: string];

const DISK_FULL = /no space left|disk quota|ENOSPC|EDQUOT/i;

const RULES: readonly Rule[] = [
  [DISK_FULL, 'unavailable', 'free some disk space'],
  [/error: 429|rate limit/i, 'rate-limited', 'MergeXO will retry later'],
  [
    /error: 40[13]|authentication failed|could not read (username|password)|invalid credentials|terminal prompts disabled/i,
    'unauthorized',
    'check the GitHub token and its access to the repository',
  ],
  [
    /host key verification failed|remote host identification has changed|no \S+ host key is known/i,
    'unauthorized',
    "verify the host's key and add it to the known_hosts file of the worker's user",
  ],
  [
    /permission denied \(|too many authentication failures|no supported authentication methods/i,
    'unauthorized',
    "check the ssh key of the worker's user and its access to the repository",
  ],
  [/cannot run ssh/i, 'unavailable', 'install ssh in a directory on the PATH'],
  [
    /error: 30\d|redirect/i,
    'not-found',
    'the repository seems to have moved; correct its URL in mergexo.toml',
  ],
  [
    /error: 404|repository '' not found|repository not found|does not appear to be a git repository|repository '' does not exist/i,
    'not-found',
    "check the repository's URL and the token's access to it",
  ],
  [
    /could not resolve|failed to connect|couldn't connect|connection (refused|reset|timed|closed)|no route to host|network is unreachable|broken pipe|could not read from remote|protocol error|bad line length|cannot allocate memory|too many open files|read-only file system|timed out|too slow|early eof|hung up|rpc failed|error: 5\d\d|empty reply|unexpected disconnect|transfer closed|recv failure|SSL_|SSL certificate|gnutls_|unable to access/i,
    'unavailable',
    'the remote or the network is unavailable; MergeXO will retry',
  ],
  [/ENOENT/, 'unavailable', 'install git 2.38 or newer in a directory on the PATH'],
];

/** True for errors of the remote, the network or the disk, which a new local repository would not fix. */
export function isExternalFailure(stderr: string): boolean {
  return findRule(stderr) !== undefined;
}

export function isDiskFull(text: string): boolean {
  return DISK_FULL.test(text);
}

/** Finds the rule for an error message. Ignores quoted names, because a repository may be called `redirect`. */
function findRule(stderr: string): Rule | undefined {
  const unquoted = stderr.replace(/'[^'\n]*'/g, "''");
  return RULES.find(([pattern]) => pattern.test(unquoted));
}

export function toFailure({ action, code, stderr }: GitError): Failure {
  const [, kind, advice] = findRule(stderr) ?? [null, 'unavailable' as const, 'MergeXO retries'];
  return new Failure(kind, `${action} failed (git exited with ${code}: ${excerpt(stderr)}); ${advice}`);
}

/** Runs the work and translates file system errors. */
export async function guardFiles<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileFailure(action, error);
  }
}

/** Translates errors about MergeXO's files and directories. Returns other errors unchanged. */
export function toFileFailure(action: string, error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof Failure || code === undefined || !/^E[A-Z]+$/.test(code)) return error;
  const advice = code === 'ENOSPC' ? 'free some disk space' : 'check the base directory and its permissions';
  return new Failure('unavailable', `${action} failed (${code}); ${advice}`, { cause: error });
}

export function timedOutFailure(action: string, limitMs: number): Failure {
  return new Failure('timed-out', `${action} timed out after ${limitMs} ms; MergeXO will retry`);
}

export function stoppedFailure(action: string): Failure {
  return new Failure('timed-out', `${action} was interrupted because the turn was stopped`);
}

export function createFailure(kind: FailureKind, message: string): Failure {
  return new Failure(kind, message);
}

/** Returns the end of git's output, because the reason comes last, after the progress. */
export function excerpt(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > 400 ? `… ${flat.slice(-400)}` : flat || 'no message';
}

import { isAbsolute } from 'node:path';
import { chooseProxy, NO_PROXY, type ProxySettings } from '@mergexo/core/basics';
import { keepAbsoluteEntries } from '@mergexo/process';
import type { Remote } from './parse-remote.js';

export type Author = { name: string; email: string };

type Surroundings = {
  searchPath: string;
  sshAuthSock?: string | undefined;
  author?: Author | undefined;
  gitDir?: string | undefined;
  workTree?: string | undefined;
  indexFile?: string | undefined;
  remote?: Remote | undefined;
  token?: string | undefined;
  proxy?: ProxySettings | undefined;
  /** A file with all certificate authorities to trust; if absent, git's own. */
  caInfo?: string | undefined;
};

type Setting = readonly [key: string, value: string];

/** Overrides a repository's own configuration. Most of these keys name programs that git would start. */
const SAFE_CONFIG: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.askPass', ''],
  ['core.sshCommand', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.excludesFile', '/dev/null'],
  ['core.attributesFile', '/dev/null'],
  ['core.autocrlf', 'false'],
  ['core.safecrlf', 'false'],
  ['core.quotePath', 'false'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['core.logAllRefUpdates', 'false'],
  ['credential.helper', ''],
  ['commit.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
  ['gpg.program', 'false'],
  ['log.showSignature', 'false'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['push.followTags', 'false'],
  // Each thread could unpack an object of the size that GIT_ALLOC_LIMIT allows.
  ['pack.threads', '1'],
  ['index.threads', '1'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['transfer.bundleURI', 'false'],
  ['safe.bareRepository', 'explicit'],
  ['protocol.allow', 'never'],
  ['protocol.ext.allow', 'never'],
  // A redirect could send the token to another host.
  ['http.followRedirects', 'false'],
  ['http.sslVerify', 'true'],
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
];

/** Settings that simple-git blocks by default. This file sets each of them to a harmless value. */
export const ALLOWED_BY_NAME = {
  allowUnsafeAskPass: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeCredentialHelper: true,
  allowUnsafeEditor: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeGpgProgram: true,
  allowUnsafeHooksPath: true,
  allowUnsafePager: true,
  allowUnsafeProtocolOverride: true,
  allowUnsafeSshCommand: true,
} as const;

/** Builds the whole environment of a git process, which does not inherit the worker's environment. */
export function buildEnv(around: Surroundings): Record<string, string> {
  const { author, gitDir, workTree, indexFile, remote } = around;
  return {
    PATH: keepAbsoluteEntries(around.searchPath),
    HOME: '/dev/null',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    // An agent can make a tiny object that unpacks to any size. Git refuses a larger allocation.
    GIT_ALLOC_LIMIT: '512m',
    GIT_ALLOW_PROTOCOL: remote?.protocol ?? 'none',
    ...(author !== undefined && {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
    }),
    ...(gitDir !== undefined && { GIT_DIR: gitDir }),
    ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
    ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
    ...(remote?.protocol === 'ssh' && sshFor(around)),
    ...toVariables([...SAFE_CONFIG, ...networkFor(around), ...credentialFor(around)]),
  };
}

/**
 * Ssh uses the keys and known hosts of the worker's user, which it finds by user id and not by HOME. Ssh never prompts,
 * refuses unknown hosts, and forwards nothing.
 */
const SSH = [
  'ssh',
  ...[
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    'ConnectTimeout=30',
    'ServerAliveInterval=15',
    'ServerAliveCountMax=4',
    'ClearAllForwardings=yes',
    'ForwardAgent=no',
    'ForwardX11=no',
    'PermitLocalCommand=no',
    'ControlMaster=no',
    'ControlPath=none',
  ].map((option) => `-o ${option}`),
].join(' ');

function sshFor({ sshAuthSock }: Surroundings): Record<string, string> {
  const socket = sshAuthSock !== undefined && isAbsolute(sshAuthSock);
  return { GIT_SSH_COMMAND: SSH, ...(socket && { SSH_AUTH_SOCK: sshAuthSock }) };
}

/** Passes the proxy and the certificates, because git inherits neither. A proxy's password stays in the environment. */
function networkFor({ remote, proxy = NO_PROXY, caInfo }: Surroundings): Setting[] {
  if (remote?.protocol !== 'https') return [];
  const chosen = chooseProxy(proxy, remote.url);
  return [
    ...(chosen === undefined ? [] : [['http.proxy', chosen] as const]),
    ...(caInfo === undefined ? [] : [['http.sslCAInfo', caInfo] as const]),
  ];
}

/** Passes the token in the environment of one command, and only for requests to the remote's own host. */
function credentialFor({ remote, token }: Surroundings): Setting[] {
  if (remote?.origin === undefined || token === undefined) return [];
  return [[`http.${remote.origin}/.extraHeader`, `Authorization: Basic ${encodeToken(token)}`]];
}

export function encodeToken(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}

function toVariables(settings: readonly Setting[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

import { isExternalFailure, toFailure, toFileFailure } from '../run/to-failure.js';
import { parsePushOutput } from './parse-push-output.js';

const REF = 'refs/heads/agent/x';

describe('toFailure', () => {
  it.each([
    ['error: object directory /x/app.git/objects does not exist; check alternates', 'unavailable'],
    ["fatal: repository '/srv/x.git' does not exist", 'not-found'],
    ['error: cannot run ssh: No such file or directory', 'unavailable'],
  ])('maps %j to the failure kind %s', (stderr, kind) => {
    expect(toFailure({ action: 'x', code: 128, stderr }).kind).toBe(kind);
  });
});

describe('parsePushOutput', () => {
  it.each([
    ['*', '[new branch]', 'done'],
    [' ', 'abc..def', 'done'],
    ['=', '[up to date]', 'done'],
    ['!', '[rejected] (non-fast-forward)', 'rejected'],
    ['!', '[rejected] (stale info)', 'rejected'],
    ['!', '[rejected] (fetch first)', 'rejected'],
    ['!', '[remote rejected] (cannot lock ref: is at abc but expected def)', 'rejected'],
    ['!', '[remote rejected] (failed to update ref)', 'rejected'],
    ['!', '[remote rejected] (Internal Server Error)', 'rejected'],
    ['!', '[remote rejected] (protected branch hook declined)', 'refused'],
    ['!', '[remote rejected] (pre-receive hook declined)', 'refused'],
    ['!', "[remote rejected] (cannot lock ref 'x': 'refs/heads/agent' exists; cannot create 'x')", 'refused'],
  ])('reads the flag %j with the summary %j as %s', (flag, summary, kind) => {
    const stdout = Buffer.from(`To https://host/x.git\n${flag}\tabc:${REF}\t${summary}\nDone\n`);
    expect(parsePushOutput({ code: 0, stdout, stderr: '' }, REF).kind).toBe(kind);
  });

  it('returns none if the output does not mention our branch', () => {
    expect(parsePushOutput({ code: 128, stdout: Buffer.from(''), stderr: '' }, REF)).toEqual({
      kind: 'none',
    });
  });

  it("adds the remote's own message to the reason", () => {
    const stdout = Buffer.from(`!\tabc:${REF}\t[remote rejected] (hook declined)\n`);
    const stderr = 'remote: error: GH006: Protected branch\nremote: \nTo https://host\n';
    const result = parsePushOutput({ code: 1, stdout, stderr }, REF);
    expect(result).toMatchObject({
      reason: '[remote rejected] (hook declined); error: GH006: Protected branch',
    });
  });
});

describe('git errors', () => {
  it.each([
    ["fatal: unable to access 'https://x/': Could not resolve host: x", 'unavailable'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 503", 'unavailable'],
    ['error: RPC failed; curl 56 Recv failure', 'unavailable'],
    ['fatal: the remote end hung up unexpectedly', 'unavailable'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 403", 'unauthorized'],
    ["fatal: could not read Username for 'https://x': terminal prompts disabled", 'unauthorized'],
    ["fatal: Authentication failed for 'https://x/'", 'unauthorized'],
    ["remote: Repository not found.\nfatal: repository 'https://x/' not found", 'not-found'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 301", 'not-found'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 429", 'rate-limited'],
    ['fatal: write error: No space left on device', 'unavailable'],
    ["fatal: bad object in '/base/repos/acme/error: 404 redirect.git'", 'unavailable'],
    ['something new', 'unavailable'],
  ])('map %j to the failure kind %s, with the action and advice', (stderr, kind) => {
    const failure = toFailure({ action: 'fetching acme/app', code: 128, stderr });
    expect(failure.kind).toBe(kind);
    expect(failure.message).toMatch(/^fetching acme\/app failed .+; .+/s);
  });

  it('count as damage unless the remote, the network or the disk failed', () => {
    expect(isExternalFailure("fatal: bad object in '/base/repos/acme/openssl redirect.git'")).toBe(false);
    expect(isExternalFailure('fatal: write error: No space left on device')).toBe(true);
  });

  it('become a Failure if the system caused them, but not if they are bugs', () => {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    expect(toFileFailure('restoring', full)).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('disk space'),
    });
    const bug = new TypeError('x');
    expect(toFileFailure('restoring', bug)).toBe(bug);
  });
});

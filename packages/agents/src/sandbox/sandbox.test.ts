import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgents } from '../create-agents.js';
import { buildBubblewrapArgv, isInside } from './bubblewrap.js';
import { chooseSandbox, listNodePaths, probeBubblewrap } from './sandbox.js';

const works = { kind: 'works', program: '/usr/bin/bwrap' } as const;
const unusable = { kind: 'unusable', reason: 'bubblewrap (bwrap) is not installed' } as const;
const refused = { kind: 'refused', reason: expect.stringContaining('set `sandbox = "none"`') };
const chosen = (sandbox: object) => ({ kind: 'chosen', sandbox });
const bwrap = chosen({ kind: 'bwrap', program: '/usr/bin/bwrap' });

describe('chooseSandbox', () => {
  it.each([
    ['auto', works, false, bwrap],
    ['auto', works, true, bwrap],
    ['auto', unusable, true, chosen({ kind: 'own' })],
    ['auto', unusable, false, refused],
    ['bwrap', works, true, bwrap],
    ['bwrap', unusable, true, refused],
    ['none', works, false, chosen({ kind: 'none' })],
    ['none', unusable, false, chosen({ kind: 'none' })],
  ] as const)(
    'with the mode %s, bubblewrap %o and an agent with its own sandbox (%s), chooses the expected sandbox',
    (mode, bubblewrap, own, expected) => {
      expect(chooseSandbox(mode, bubblewrap, own)).toEqual(expected);
    },
  );
});

describe('probeBubblewrap', () => {
  it('reports that bubblewrap is not installed', async () => {
    expect(await probeBubblewrap('/nonexistent')).toEqual(unusable);
  });

  it('rejects a bubblewrap that is installed but does not work', async () => {
    const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
    writeFileSync(
      join(dir, 'bwrap'),
      '#!/bin/sh\necho "No permissions to create a namespace" >&2\nexit 1\n',
      {
        mode: 0o755,
      },
    );
    expect(await probeBubblewrap(dir)).toEqual({
      kind: 'unusable',
      reason: 'bubblewrap does not work here: No permissions to create a namespace',
    });
    rmSync(dir, { recursive: true });
  });
});

describe('probeBubblewrap with a bubblewrap that cannot forbid namespaces', () => {
  it('uses bubblewrap without that option', async () => {
    const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
    const script = `#!/bin/sh\ncase "$*" in *--disable-userns*) echo "bwrap: Unknown option --disable-userns" >&2; exit 1;; esac\n`;
    writeFileSync(join(dir, 'bwrap'), script, { mode: 0o755 });
    expect(await probeBubblewrap(dir)).toEqual({
      kind: 'works',
      program: join(dir, 'bwrap'),
      allowsNamespaces: true,
    });
    rmSync(dir, { recursive: true });
  });
});

describe('buildBubblewrapArgv', () => {
  const view = { cwd: '/b/slots/1', home: '/b/homes/1', tmp: '/b/runs/1', readOnlyPaths: [], network: false };

  it("separates the command from bubblewrap's options", () => {
    const argv = buildBubblewrapArgv('/bwrap', view, ['--bind', '/', '/']);
    expect(argv.slice(argv.indexOf('--'))).toEqual(['--', '--bind', '/', '/']);
    expect(argv).not.toContain('--share-net');
    expect(buildBubblewrapArgv('/bwrap', { ...view, network: true }, [])).toContain('--share-net');
  });

  it.each(['/', '/b', '/b/slots', '/b/slots/1', '/b/homes', 'relative'])('refuses to expose %s', (path) => {
    expect(() => buildBubblewrapArgv('/bwrap', { ...view, readOnlyPaths: [path] }, [])).toThrow(RangeError);
  });

  it.each(['acpi', 'asound', 'mtrr', 'scsi', 'sys'])('exposes the settings in /proc/%s read-only', (name) => {
    const argv = buildBubblewrapArgv('/bwrap', view, []).join(' ');
    expect(argv.indexOf(`--ro-bind-try /proc/${name} /proc/${name}`)).toBeGreaterThan(
      argv.indexOf('--proc /proc'),
    );
  });

  it.each([
    ['slot', { cwd: '/' }],
    ['slot', { cwd: '/b' }],
    ['home', { home: '/b/slots' }],
    ['slot in a directory of the system', { cwd: '/usr/src/app/slots/1' }],
    ['home in a directory of the system', { home: '/lib/homes/1' }],
    ['temporary directory in a directory of the system', { tmp: '/usr/src/app/runs/1' }],
    ['relative slot', { cwd: 'slots/1' }],
    ['list of runs', { readOnlyPaths: ['/b/runs'] }],
  ])('refuses a %s that would expose other directories: %o', (_name, change) => {
    expect(() => buildBubblewrapArgv('/bwrap', { ...view, ...change }, [])).toThrow(RangeError);
  });

  it.each(['/b/slots/10', '/b/repos/mirror.git', '/b/slots/1/sub'])('exposes %s', (path) => {
    expect(buildBubblewrapArgv('/bwrap', { ...view, readOnlyPaths: [path] }, [])).toContain(path);
  });
});

describe('listNodePaths', () => {
  it('returns the directories of the running Node, unless every sandbox exposes these directories', () => {
    const program = realpathSync(process.execPath);
    const paths = listNodePaths(process.execPath);
    expect(paths.some((path) => isInside(program, path)) || program.startsWith('/usr/')).toBe(true);
  });
});

describe('listNodePaths for a program without a bin directory', () => {
  it('returns the program, not the files next to the program', () => {
    const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
    const program = join(dir, 'node');
    writeFileSync(program, '');
    expect(listNodePaths(program)).toEqual([program]);
    rmSync(dir, { recursive: true });
  });
});

describe('createAgents', () => {
  const options = {
    host: { env: {}, passEnv: [], runsDir: '/runs', readOnlyPaths: [] },
    sandbox: 'auto',
    bubblewrap: works,
    limits: { wallMs: 1_000 },
    settings: {},
  } as const;

  it('finds a configured adapter', () => {
    const agents = createAgents({ ...options, settings: { command: { argv: ['agent'] } } });
    expect(agents.find('command')).toMatchObject({ kind: 'ready', agent: { name: 'command' } });
  });

  it.each([
    ['an unknown adapter', options, 'nobody', 'no adapter "nobody"'],
    ['a name from the prototype', options, 'constructor', 'no adapter "constructor"'],
    ['a command without argv', options, 'command', '`argv` in [command]'],
    [
      'a base directory that every agent could read',
      { ...options, host: { ...options.host, runsDir: '/usr/src/app/runs' } },
      'command',
      'move `base_dir`',
    ],
    ['a missing sandbox', { ...options, bubblewrap: unusable }, 'command', 'not installed'],
  ])('refuses %s, and names the fix', (_name, given, adapter, reason) => {
    expect(createAgents(given).find(adapter)).toEqual({
      kind: 'refused',
      reason: expect.stringContaining(reason),
    });
  });
});

import { join } from 'node:path';
import { createAgents } from '../create-agents.js';
import type { Nesting } from '../run/try-nesting.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { createBench } from '../testing/bench.js';
import { createCliBench } from '../testing/cli-bench.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import { chooseCodexSandbox, listCodexNotices, probeCodexSandbox } from './codex-sandbox.js';

const { all } = await findSandboxes(process.env);
const bwrap: Sandbox = { kind: 'bwrap', program: '/usr/bin/bwrap' };
const works: Nesting = { kind: 'works' };
const unusable: Nesting = { kind: 'unusable', reason: 'no user namespaces' };

describe('chooseCodexSandbox', () => {
  const choose = (outer: Sandbox, codexProbe?: Nesting, ownSandbox?: 'optional' | 'required') =>
    chooseCodexSandbox(
      { codexProbe, settings: { codex: { binary: 'codex', ...(ownSandbox && { ownSandbox }) } } },
      outer,
    );

  it.each<[string, Parameters<typeof choose>]>([
    ['the probe succeeded', [bwrap, works]],
    ['the probe succeeded and a fallback is allowed', [bwrap, works, 'optional']],
    ['every other sandbox is disabled', [{ kind: 'none' }, works]],
    ['there is no other sandbox and the probe succeeded', [{ kind: 'own' }, works]],
    ['there is no other sandbox and no probe', [{ kind: 'own' }]],
  ])('uses Codex’s own sandbox if %s', (_when, circumstances) => {
    expect(choose(...circumstances)).toEqual({ kind: 'chosen', sandbox: 'workspace-write' });
  });

  it.each<[string, Parameters<typeof choose>]>([
    ['`own_sandbox = "optional"`', [bwrap, unusable, 'optional']],
    ['`sandbox = "none"`', [{ kind: 'none' }, unusable, 'required']],
  ])('runs Codex without its own sandbox only with %s', (_setting, circumstances) => {
    expect(choose(...circumstances)).toEqual({ kind: 'chosen', sandbox: 'danger-full-access' });
  });

  it.each<[string, Parameters<typeof choose>, RegExp]>([
    ['its own sandbox does not work', [bwrap, unusable], /no user namespaces\. .*`own_sandbox = "optional"`/],
    ['its own sandbox does not work and is required', [bwrap, unusable, 'required'], /inside bubblewrap/],
    [
      'no sandbox works',
      [{ kind: 'own' }, unusable, 'optional'],
      /neither bubblewrap nor .*no user namespaces/,
    ],
    ['there is no probe result', [bwrap, undefined, 'optional'], /not installed .* restart the worker/],
    ['there is no probe result and `sandbox` is none', [{ kind: 'none' }], /not installed/],
  ])('refuses Codex if %s', (_when, circumstances, reason) => {
    expect(choose(...circumstances)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) });
  });
});

describeIn(all, 'the probe of Codex’s own sandbox in $name', ({ sandbox: outer }) => {
  const probe = async (
    lines: string,
    binary?: string,
    mode = outer.kind === 'bwrap' ? ('auto' as const) : ('none' as const),
  ) => {
    const bench = createBench(outer, { PATH: process.env['PATH'] });
    const bubblewrap =
      outer.kind === 'bwrap'
        ? { kind: 'works' as const, program: outer.program }
        : { kind: 'unusable' as const, reason: 'none' };
    const settings = {
      codex: {
        binary: binary ?? createCliBench(bench).binary(lines),
        extraArgs: [],
        ownSandbox: 'optional' as const,
      },
    };
    const { sandbox: _, ...host } = bench.host;
    const machine = { host, sandbox: mode, bubblewrap, settings, limits: { wallMs: 60_000 } } as const;
    const codexProbe = await probeCodexSandbox(machine);
    const probed = { ...machine, codexProbe };
    bench.remove();
    return { codexProbe, notices: listCodexNotices(probed), found: createAgents(probed).find('codex') };
  };

  it('succeeds if Codex can run a command in its sandbox', async () => {
    expect(
      await probe('if (args[0] !== "sandbox" || args.at(-1) !== "true") process.exit(9);'),
    ).toMatchObject({
      codexProbe: works,
      notices: [],
      found: { kind: 'ready' },
    });
  });

  it('reports the last line of the error, and the fallback that the operator allowed', async () => {
    expect(await probe('console.error("warning\\nbwrap: no namespaces"); process.exit(1);')).toMatchObject({
      codexProbe: { kind: 'unusable', reason: 'bwrap: no namespaces' },
      notices: ['codex-without-own-sandbox'],
      found: { kind: 'ready' },
    });
  });

  it('reports a program that prints nothing', async () => {
    expect(await probe('process.exit(7);')).toMatchObject({
      codexProbe: { kind: 'unusable', reason: 'exit code 7' },
    });
  });

  const isAlone = process.platform === 'linux' && outer.kind === 'none';
  if (isAlone)
    it('refuses Codex if bubblewrap and its own sandbox fail', async () => {
      expect(await probe('process.exit(7);', undefined, 'auto')).toMatchObject({
        codexProbe: { kind: 'unusable', reason: 'exit code 7' },
        found: { kind: 'refused', reason: expect.stringContaining('neither bubblewrap nor') },
      });
    });

  it('returns nothing if Codex is not installed', async () => {
    expect(await probe('', join('/nowhere', 'codex'))).toMatchObject({
      codexProbe: undefined,
      notices: [],
      found: { kind: 'refused', reason: expect.stringContaining('not installed') },
    });
  });
});

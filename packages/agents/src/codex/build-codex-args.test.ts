import { buildCodexArgs } from './build-codex-args.js';

type CodexArgs = Parameters<typeof buildCodexArgs>[0];

const OPTIONS: CodexArgs = {
  commandHome: undefined,
  cwd: '/slot "7"',
  sandbox: 'workspace-write',
  ownsTmp: true,
  schemaPath: '/own/schema.json',
  model: undefined,
  profile: undefined,
  extraArgs: [],
  images: [],
  threadId: null,
};
const settingsOf = (options: Partial<CodexArgs>): string[] => {
  const args = buildCodexArgs({ ...OPTIONS, ...options });
  return args.filter((_, index) => args[index - 1] === '--config');
};

describe('buildCodexArgs', () => {
  it("does not read the user's configuration unless a profile is configured", () => {
    expect(buildCodexArgs(OPTIONS)).toContain('--ignore-user-config');
    const args = buildCodexArgs({ ...OPTIONS, profile: 'mergexo' });
    expect(args).not.toContain('--ignore-user-config');
    expect(args.join(' ')).toContain('--profile mergexo');
  });

  it("does not trust the repository when the user's configuration is read", () => {
    expect(settingsOf({ profile: 'mergexo' })).toContain(
      'projects={"/slot \\"7\\""={trust_level="untrusted"}}',
    );
  });

  it('puts another option after the images, because Codex takes all words up to the next option as images', () => {
    const args = buildCodexArgs({ ...OPTIONS, images: ['/a/1.png', '/a/2.jpg'], threadId: 'thread' });
    expect(args.slice(0, 6)).toEqual(['exec', '--image', '/a/1.png', '--image', '/a/2.jpg', '--json']);
    expect(args.slice(-3)).toEqual(['resume', 'thread', '-']);
  });

  it("lets commands write only to the run's own temporary directory", () => {
    const write = (options: Partial<CodexArgs>) =>
      settingsOf(options).find((setting) => setting.startsWith('sandbox_workspace_write='));
    expect(write({ ownsTmp: true })).toContain('exclude_slash_tmp=false');
    expect(write({ ownsTmp: false })).toContain('exclude_slash_tmp=true');
    expect(write({})).toContain('network_access=false');
  });

  it('gives commands the home of setup, and lets them change it', () => {
    const settings = settingsOf({ commandHome: '/setup "7"' });
    expect(settings).toContain('shell_environment_policy={inherit="core",set={HOME="/setup \\"7\\""}}');
    expect(settings.join()).toContain('writable_roots=["/setup \\"7\\""]');
    expect(settingsOf({}).join()).toContain('writable_roots=[]');
    expect(settingsOf({})).toContain('shell_environment_policy={inherit="core"}');
  });
});

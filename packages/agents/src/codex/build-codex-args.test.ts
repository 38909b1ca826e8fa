import { buildCodexArgs } from './build-codex-args.js';

type CodexArgs = Parameters<typeof buildCodexArgs>[0];

const OPTIONS: CodexArgs = {
  cwd: '/slot "7"',
  sandbox: 'workspace-write',
  ownsTmp: true,
  schemaPath: '/own/schema.json',
  model: undefined,
  profile: undefined,
  extraArgs: [],
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

  it('lets commands write to no temporary directory except that of the run', () => {
    const write = (options: Partial<CodexArgs>) =>
      settingsOf(options).find((setting) => setting.startsWith('sandbox_workspace_write='));
    expect(write({ ownsTmp: true })).toContain('exclude_slash_tmp=false');
    expect(write({ ownsTmp: false })).toContain('exclude_slash_tmp=true');
    expect(write({})).toContain('network_access=false');
  });
});

import { addConfigOption } from './doctor.js';

describe('addConfigOption', () => {
  const finding = {
    name: 'database',
    status: 'failure',
    detail: 'x is missing',
    fix: 'Run `npx mergexo init`, or `npx mergexo adopt --repo <owner/name>`.',
  } as const;

  it('repeats the config of this call in every command that a fix names', () => {
    expect(addConfigOption(finding, 'my fleet.toml').fix).toBe(
      'Run `npx mergexo init --config "my fleet.toml"`, or `npx mergexo adopt --config "my fleet.toml" --repo <owner/name>`.',
    );
    expect(addConfigOption(finding, 'a.toml').fix).toContain('`npx mergexo init --config a.toml`');
  });

  it('adds nothing where the default config was read', () => {
    expect(addConfigOption(finding, undefined)).toEqual(finding);
  });
});

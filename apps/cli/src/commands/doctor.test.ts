import { addConfigOption } from './doctor.js';

describe('addConfigOption', () => {
  const fix = 'Run `npx mergexo init`, or `npx mergexo adopt --repo <owner/name>`.';
  const finding = { name: 'database', status: 'failure', detail: 'x is missing', fix } as const;

  it('adds the --config option of this call to every suggested command', () => {
    expect(addConfigOption(finding, 'my fleet.toml').fix).toBe(
      'Run `npx mergexo init --config "my fleet.toml"`, or `npx mergexo adopt --config "my fleet.toml" --repo <owner/name>`.',
    );
    expect(addConfigOption(finding, 'a.toml').fix).toContain('`npx mergexo init --config a.toml`');
  });

  it('adds nothing for the default config', () => {
    expect(addConfigOption(finding, undefined)).toEqual(finding);
  });
});

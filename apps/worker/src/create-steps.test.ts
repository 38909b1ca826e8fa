import { parseConfig } from '@mergexo/config';
import { listAdapters } from './create-steps.js';

describe('listAdapters', () => {
  it('lists authors, reviewers and their fallbacks, which `doctor` checks', () => {
    const { repos } = parseConfig(
      `[agent]\nfallback = ["claude"]\n[review]\nfallback = ["command"]\n[command]\nargv = ["agent"]
      [repo.a]\nowner = "a"\nname = "a"\nreview_enabled = false
      [repo.b]\nowner = "a"\nname = "b"\nagent_fallback = []`,
      { homeDir: '/' },
    );
    expect(repos.map((repo) => listAdapters([repo]))).toEqual([
      ['codex', 'claude'],
      ['codex', 'codex', 'command'],
    ]);
  });
});

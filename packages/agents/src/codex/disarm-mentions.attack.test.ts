import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { disarmMentions } from './disarm-mentions.js';

const MENTIONS = [
  '$planted',
  '[$planted](.agents/skills/planted/SKILL.md)',
  'a$planted',
  '$$planted',
  '$a:b',
];

describe('a prompt that mentions a skill', () => {
  const at = useTemporaryDirectory();

  it.each(MENTIONS)('stays unchanged in a checkout without skills: %s', (text) => {
    expect(disarmMentions(text, at())).toBe(text);
  });

  it.each(MENTIONS)('loads no skill from the checkout: %s', (text) => {
    mkdirSync(at('.agents/skills'), { recursive: true });
    expect(disarmMentions(text, at())).not.toContain('$');
  });

  it.each<[string, (path: string) => void]>([
    ['.agents', (path) => symlinkSync('elsewhere', path)],
    ['.agents', (path) => symlinkSync('/nowhere', path)],
    ['.codex', (path) => mkdirSync(join(path, 'skills'), { recursive: true })],
    ['.codex', (path) => symlinkSync('elsewhere', path)],
    ['.codex', (path) => writeFileSync(path, '')],
  ])('loads no skill through %s, whatever its file type', (name, plant) => {
    plant(at(name));
    expect(disarmMentions('Use $planted.', at())).toMatch(/^Use ＄planted\.\n\n\[MergeXO wrote/);
  });
});

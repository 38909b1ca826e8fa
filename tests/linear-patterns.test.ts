import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';
import { analyse } from 'scslre';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Files that may build a regular expression from text. Each uses only its own constants, or escapes the text. */
const BUILDERS = [
  'packages/agents/src/network/host-rule.ts',
  'packages/config/src/kinds/hosts.ts',
  'packages/core/src/journal/create-names.ts',
  'packages/core/src/text/secrets/redact-patterns.ts',
  'packages/process/src/measure-processes.ts',
  'packages/core/src/frontmatter/locate-frontmatter.ts',
  'packages/core/src/frontmatter/mark-implemented.ts',
  'packages/core/src/sanitise/remove-comments.ts',
  'packages/core/src/sanitise/strip-hidden.ts',
  'packages/git/src/run/parse-remote.ts',
  'packages/github-twin/src/domain/closing-keywords.ts',
  'packages/github-twin/src/faults/faults.ts',
  'packages/github-twin/src/pages/parts/page-context.ts',
  'packages/github-twin/src/rest/router.ts',
  'packages/github-twin/src/testing/browse.ts',
  'packages/testkit/src/canaries.ts',
  'apps/cli/src/commands/diagnose/doctor.ts',
];

type Pattern = { source: string; flags: string };

function listSources(): string[] {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(ROOT, group)).flatMap((name) =>
      readdirSync(join(ROOT, group, name, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => join(group, name, 'src', file)),
    ),
  );
}

/** Lists the regular expression literals in a program. */
function listPatterns(program: string): Pattern[] {
  const found: Pattern[] = [];
  JSON.stringify(parseSync(program, { syntax: 'typescript', target: 'es2022' }), (_key, node) => {
    if (node?.type === 'RegExpLiteral') found.push({ source: node.pattern, flags: node.flags });
    return node;
  });
  return found;
}

/** Lists the expressions whose matching time can grow faster than the length of the text. */
function findSlow(program: string): string[] {
  return listPatterns(program)
    .filter((pattern) => analyse(pattern, { assumeRejectingSuffix: false }).reports.length > 0)
    .map(({ source, flags }) => `/${source}/${flags}`);
}

describe('the regular expressions of MergeXO', () => {
  const programs = listSources().map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

  it('take linear time on any text, as far as a static analysis can tell', () => {
    const slow = programs.flatMap(({ file, text }) => findSlow(text).map((pattern) => `${file}: ${pattern}`));
    expect(slow).toEqual([]);
  });

  it('are literals, except in a few files', () => {
    const builders = programs.filter(({ text }) => /\bnew RegExp\(|\bRegExp\(/.test(text));
    expect(builders.map(({ file }) => file).sort()).toEqual([...BUILDERS].sort());
  });

  it.each([
    [String.raw`x.replace(/(\s*<!--[^\n]*-->)+\s*$/, '')`],
    ['const A = /^(a+)+$/;'],
    [String.raw`text.split(/,\n,/).filter((one) => /\s+$/.test(one))`],
  ])('would fail this test: %s', (program) => {
    expect(findSlow(program)).toHaveLength(1);
  });
});

import { type DesignDocument, renderDesignDocument } from './design-document.js';

const document: DesignDocument = {
  issueNumber: 7,
  issueUrl: 'https://github.com/acme/app/issues/7',
  title: 'Cache the index',
  summary: 'Keep it in memory.',
  priority: 4,
  touchPaths: ['src/index/*', 'evil"\npriority: 1'],
  dependsOn: [],
  estimatedSize: 'M',
  generatedAt: '2026-01-02T03:04:05Z',
  markdown: '## Context\n\nIt is slow.',
};

describe('renderDesignDocument', () => {
  it('adds frontmatter, title and summary to the agent’s text', () => {
    expect(renderDesignDocument(document)).toBe(`---
issue: 7
priority: 4
touch_paths:
  - "src/index/*"
  - "evil\\"\\npriority: 1"
depends_on: []
estimated_size: M
generated_at: 2026-01-02T03:04:05Z
---

# Cache the index

_Issue: #7 (https://github.com/acme/app/issues/7)_

## Summary

Keep it in memory.

## Context

It is slow.
`);
  });

  it('does not repeat frontmatter, title and summary if the agent already wrote them', () => {
    const whole = renderDesignDocument(document);
    expect(renderDesignDocument({ ...document, markdown: whole })).toBe(whole);
  });

  it('keeps the agent’s text if it contains only a title and a summary', () => {
    const markdown = '# Cache the index\n\n## Summary\n\nOnly this.';
    expect(renderDesignDocument({ ...document, markdown })).toContain('Only this.');
  });

  it('closes an open code block in the summary before the next section', () => {
    const summary = 'It prints:\n\n```\nready';
    expect(renderDesignDocument({ ...document, summary })).toContain('ready\n```\n\n## Context\n');
  });

  it('keeps a top-level heading that differs from the title', () => {
    expect(renderDesignDocument({ ...document, markdown: '# Plan\n\ntext' })).toContain('# Plan');
  });
});

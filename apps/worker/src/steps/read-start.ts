import { renderDesignDocument } from '@mergexo/core/runs';
import type {
  ChangeStartOutput,
  DesignStartOutput,
  ImplementationStartOutput,
  PlanResult,
  StartContext,
} from '@mergexo/core/turns';
import type { Basis } from './implementation.js';

/** The agent's answer: finished work with its description, or the reason why the agent is blocked. */
export type Idea =
  | { kind: 'blocked'; reason: string }
  | {
      kind: 'work';
      stateSummary: string;
      result: PlanResult;
      commitMessage: string;
      document: { path: string; text: string } | null;
    };

export function readDesign(context: StartContext, output: DesignStartOutput, now: Date): Idea {
  if (output.kind === 'blocked') return { kind: 'blocked', reason: output.blocked_reason };
  const { issue } = context;
  const path = context.designDocPath ?? '';
  const { title, summary, priority } = output;
  const facts = {
    priority,
    touchPaths: output.touch_paths,
    dependsOn: output.depends_on,
    estimatedSize: output.estimated_size,
  };
  const text = renderDesignDocument({
    ...facts,
    title,
    summary,
    issueNumber: issue.number,
    issueUrl: issue.url,
    generatedAt: now.toISOString().replace(/\.\d+Z$/, 'Z'),
    markdown: output.design_doc_markdown,
  });
  return {
    kind: 'work',
    stateSummary: output.state_summary,
    result: {
      kind: 'pull',
      title: `Design document for #${issue.number}: ${title}`,
      summary,
      design: { path, ...facts },
    },
    commitMessage: `docs: add design for issue #${issue.number}`,
    document: { path, text },
  };
}

export function readChange(output: ChangeStartOutput): Idea {
  if (output.kind === 'blocked') return { kind: 'blocked', reason: output.blocked_reason };
  return {
    kind: 'work',
    stateSummary: output.state_summary,
    result: { kind: 'pull', title: output.pr_title, summary: output.pr_summary, design: null },
    commitMessage: output.commit_message,
    document: null,
  };
}

export function readImplementation(output: ImplementationStartOutput, basis: Basis | null): Idea {
  if (output.kind === 'blocked') return { kind: 'blocked', reason: output.blocked_reason };
  const idea = readChange(output);
  if (idea.kind !== 'work' || idea.result.kind !== 'pull') return idea;
  const shown = new Map(output.acceptance.map(({ criterion, shown_by }) => [criterion, shown_by]));
  const acceptance = (basis?.criteria ?? []).map(({ number, text }) => ({
    text,
    shownBy: shown.get(number) ?? [],
  }));
  return { ...idea, result: { ...idea.result, acceptance } };
}

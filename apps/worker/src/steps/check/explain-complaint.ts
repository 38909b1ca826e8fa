import type { Complaint } from '@mergexo/core/prompts';
import { sanitiseLine } from '@mergexo/core/sanitise';
import { quoteOutput } from './quote-output.js';

/** Explains to people why the agent's commit was not accepted. */
export function explainComplaint(complaint: Complaint): string {
  if (complaint.kind === 'tests-failed') return quoteOutput(complaint.output);
  const files = complaint.files.map((path) => `- ${sanitiseLine(path)}`);
  return ['The required tests pass without the fix, so these files do not show the bug:', '', ...files].join(
    '\n',
  );
}

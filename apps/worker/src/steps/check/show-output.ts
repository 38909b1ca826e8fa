import type { ProgramRun } from '@mergexo/agents';
import { type AgentStep, buildStep } from '@mergexo/core/agent';
import { countOf, type Redact } from '@mergexo/core/text';

/** Lines at the start of the output that are shown as they are printed. */
const MAX_FIRST = 300;
/** Lines at the end of the output that are shown when the program ends. */
const MAX_LAST = 20;

const ENDS: Record<ProgramRun['kind'], string> = {
  passed: 'passed',
  failed: 'failed',
  absent: 'cannot run',
  'timed-out': 'timed out',
  exceeded: 'exceeded a limit',
  aborted: 'was stopped',
};

type Output = { onLine(line: string, redact: Redact): void; end(run: ProgramRun): void };

/** Reports the output of setup or of the tests as steps: its beginning at once, and its end at the end. */
export function showOutput(
  { kind, path }: { kind: 'setup' | 'test'; path: string },
  { show, redact }: { show: (step: AgentStep) => void; redact: Redact },
): Output {
  const report = (text: string, redactOwn: Redact = (own) => own): void => {
    const step = buildStep(kind, text, (raw) => redactOwn(redact(raw)));
    if (step !== undefined) show(step);
  };
  let shown = 0;
  let hidden = 0;
  let last: { line: string; redact: Redact }[] = [];
  report(path);
  return {
    onLine(line, redactOwn) {
      if (shown < MAX_FIRST) {
        shown += 1;
        report(line, redactOwn);
        return;
      }
      last.push({ line, redact: redactOwn });
      if (last.length <= MAX_LAST) return;
      last = last.slice(1);
      hidden += 1;
    },
    end(run) {
      if (hidden > 0) show({ kind: 'skip', text: `${countOf(hidden, 'line')} of output` });
      for (const { line, redact: redactOwn } of last) report(line, redactOwn);
      report(`${path} ${ENDS[run.kind]}`);
    },
  };
}

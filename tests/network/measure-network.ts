import { measureIdle } from './measure-idle.js';
import { measureOnce } from './measure-once.js';
import { measureIdleCpu, measureMemory, type Usage } from './measure-processes.js';
import { measureService, type ServiceRounds } from './measure-service.js';
import type { Plan } from './plan.js';
import { type Result, summarizeRounds } from './result.js';
import { nameIdleLine, nameOnceLine, ONCE_LINES, type Row } from './rows.js';

const IDLE_PULLS = [1, 5, 20];
const CPU_PULLS = [10, 1_000];

export type Measured = { results: Result[]; service: ServiceRounds | undefined };

/** Measures the rows with one latency. Rows that share a scenario are measured together. */
export async function measureNetwork(plan: Plan, rows: readonly Row[]): Promise<Measured> {
  const wants = (...names: readonly Row[]): boolean => names.some((name) => rows.includes(name));
  const once = wants('once-cold', 'once-warm', 'once-reply') ? await measureOnce(plan) : undefined;
  const service = wants('service-reply', 'service-start') ? await measureService(plan) : undefined;
  const withWebhook = wants('webhook-reply') ? await measureService(plan, { withWebhook: true }) : undefined;
  const results: Result[] = [];
  const { latencyMs } = plan;
  const about = { latencyMs, withPhases: true };
  if (once !== undefined)
    results.push(
      ...ONCE_LINES.flatMap((line) => {
        const { row, from } = line;
        const exit = nameOnceLine({ ...line, mark: 'command exits' });
        return [
          summarizeRounds({ ...about, row, what: nameOnceLine(line), rounds: once[from] }, 'posted'),
          summarizeRounds({ latencyMs, withPhases: false, row, what: exit, rounds: once[from] }, 'end'),
        ];
      }),
    );
  if (service !== undefined) results.push(...summarizeService(latencyMs, service));
  if (withWebhook !== undefined) results.push(...summarizeWebhook(latencyMs, withWebhook));
  if (wants('idle-poll'))
    for (const pulls of IDLE_PULLS)
      results.push(
        summarizeRounds(
          {
            latencyMs,
            withPhases: false,
            row: 'idle-poll',
            what: nameIdleLine(pulls),
            rounds: await measureIdle(plan, pulls),
          },
          'end',
        ),
      );
  return { results: results.filter(({ row }) => wants(row)), service };
}

function summarizeService(latencyMs: number, { replies, starts }: ServiceRounds): Result[] {
  const reply = { latencyMs, row: 'service-reply', rounds: replies } as const;
  const start = { latencyMs, row: 'service-start', rounds: starts } as const;
  return [
    summarizeRounds({ ...reply, withPhases: false, what: 'service, comment → agent starts' }, 'agent'),
    summarizeRounds({ ...reply, withPhases: true, what: 'service, comment → reply' }, 'posted'),
    summarizeRounds({ ...start, withPhases: true, what: 'service, label → pull request' }, 'posted'),
  ];
}

function summarizeWebhook(latencyMs: number, { replies: rounds }: ServiceRounds): Result[] {
  const reply = { latencyMs, row: 'webhook-reply', withPhases: false, rounds } as const;
  return [
    summarizeRounds({ ...reply, what: 'webhook, comment → agent starts' }, 'agent'),
    summarizeRounds({ ...reply, what: 'webhook, comment → reply' }, 'posted'),
  ];
}

/** Measures the rows that have no latency. */
export async function measureProcesses(
  plan: Omit<Plan, 'latencyMs'>,
  rows: readonly Row[],
): Promise<Usage[]> {
  const usages: Usage[] = [];
  if (rows.includes('idle-cpu'))
    for (const pulls of CPU_PULLS) usages.push(await measureIdleCpu(plan, pulls));
  if (rows.includes('memory')) usages.push(...(await measureMemory(plan)));
  return usages;
}

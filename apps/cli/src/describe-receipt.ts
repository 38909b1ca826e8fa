import { countOf } from '@mergexo/core/text';
import type { Receipt } from '@mergexo/state';
import { describeUse } from './describe-use.js';
import { toLine } from './printable.js';

/** One turn's receipt, for --json. */
export function describeReceipt(receipt: Receipt) {
  const { kind, turnKey, pr } = receipt;
  return { turn: kind, turn_key: turnKey, pr, ...describeUse(receipt) };
}

type Described = ReturnType<typeof describeReceipt>;

/** One line per turn, and the total of the issue. */
export function renderReceipts(receipts: readonly Described[]): string[] {
  if (receipts.length === 0) return [];
  const known = receipts.flatMap(({ cost_usd: dollars }) => dollars ?? []);
  const total = known.reduce((sum, dollars) => sum + dollars, 0);
  const missing = receipts.length - known.length;
  const partly = missing === 0 ? '' : `, plus ${countOf(missing, 'turn')} with unknown cost`;
  return [
    '',
    `Cost: ${known.length === 0 ? 'unknown' : `$${total.toFixed(2)}${partly}`}`,
    ...receipts.map((receipt) => `  ${toLine(renderReceipt(receipt), 300)}`),
  ];
}

function renderReceipt(receipt: Described): string {
  const { turn, agents, attempts, minutes, cost_usd: dollars } = receipt;
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = receipt;
  return [
    (turn ?? 'unknown turn').replaceAll('_', ' '),
    ...agents,
    ...(attempts === 1 ? [] : [countOf(attempts, 'attempt')]),
    ...(minutes === null ? [] : [`${minutes} min`]),
    `${input} tokens in${cached === null ? '' : ` (${cached} cached)`}, ${output} out`,
    dollars === null ? 'cost unknown' : `$${dollars.toFixed(2)}`,
  ].join('; ');
}

import type { Price } from '@mergexo/core/cost';
import { price } from '../sections/price.js';
import { showKey, showValue } from '../values/show-value.js';
import { isTable } from '../values/toml-table.js';
import { type Finding, notAllowed } from './finding.js';
import { readTable } from './read-table.js';

export type ModelPrice = Price & { model: string };

const TABLES = 'a table per model, such as [prices."gpt-5"]';
/** Model names as agents report them. */
const MODEL = /^[\w.:/@+-]{1,100}$/;

/** Reads the prices. A list, because names chosen by users would make unsafe property names. */
export function readPrices(
  value: unknown,
  secrets: readonly Finding[],
): { prices: ModelPrice[]; findings: Finding[] } {
  if (value === undefined) return { prices: [], findings: [] };
  if (!isTable(value)) {
    const message = notAllowed(showValue(value), TABLES);
    return { prices: [], findings: [{ path: 'prices', message, breaks: ['prices'] }] };
  }
  const findings: Finding[] = [];
  const prices = Object.keys(value).flatMap((model) => {
    const path = showKey('prices', model);
    if (!isTable(value[model]) || !MODEL.test(model)) {
      const message = isTable(value[model])
        ? 'invalid model name, expected 1 to 100 letters, digits and the characters . : / @ + _ -'
        : notAllowed(showValue(value[model]), TABLES);
      findings.push({ path, message, breaks: [path] });
      return [];
    }
    const { table, findings: found } = readTable(price, { path, value: value[model], secrets });
    findings.push(...found);
    return [{ model, ...table }];
  });
  return { prices, findings };
}

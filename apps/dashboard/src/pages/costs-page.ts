import { countOf } from '@mergexo/core/text';
import { TURN_KIND_NAMES, TURN_KINDS } from '@mergexo/core/turns';
import { COST_GROUPS, type Cost, type CostGroup } from '@mergexo/state';
import { COST_DAYS, type CostQuery, type Costs, type Totals } from '../facts/read-costs.js';
import { type Html, html } from '../html.js';
import { drawSpend } from '../plots/draw-plots.js';
import { formatCount, formatDay, formatDuration, formatMoney } from './format.js';
import { renderEmpty } from './parts.js';
import { describeAgents } from './receipt-part.js';

const GROUP_NAMES: Readonly<Record<CostGroup, string>> = {
  day: 'Day',
  repo: 'Repository',
  issue: 'Issue',
  phase: 'Phase',
};

/** Renders the cost of the agents per day, repository, issue or phase. */
export function renderCosts({ costs, query }: { costs: Costs; query: CostQuery }): Html {
  const { rows, hidden, total, figures, series } = costs;
  const { by, days } = query;
  return html`<h1>Cost</h1>
<dl class="cards">${figures.map((figure) => html`<div><dt>${figure.name}</dt><dd>${renderAmount(figure)}</dd><dd class="quiet">${formatCount(figure.tokens)} tokens</dd></div>`)}</dl>
<div class="plots">${drawSpend(series)}</div>
<section id="rows"><h2>By ${GROUP_NAMES[by].toLowerCase()}, last ${days} days <a class="more" href="/costs.csv?by=${by}&amp;days=${days}" download>Download CSV</a></h2>
<nav class="tabs" aria-label="Group">${COST_GROUPS.map((group) => renderTab({ by: group, days }, GROUP_NAMES[group], group === by))}</nav>
<nav class="tabs" aria-label="Days">${COST_DAYS.map((count) => renderTab({ by, days: count }, `${count} days`, count === days))}</nav>
${rows.length === 0 ? renderEmpty('No agent ran in this period.') : renderTable(rows, { by, total })}
${hidden > 0 && html`<p class="quiet">${countOf(hidden, 'more row')} not shown. The CSV file contains all of them.</p>`}
${total.withoutCost > 0 && html`<p class="quiet">${countOf(total.withoutCost, 'attempt')} used tokens but reported no cost, so the cost is higher than shown.</p>`}
<p class="quiet">Days are in UTC.</p></section>`;
}

function renderTab({ by, days }: CostQuery, name: string, isHere: boolean): Html {
  return html`<a href="/costs?by=${by}&amp;days=${days}"${isHere && html` aria-current="page"`}>${name}</a>`;
}

/** A cost that no agent reported is unknown, not zero. */
function renderAmount({ costUsd, tokens }: Pick<Totals, 'costUsd' | 'tokens'>): string {
  return costUsd === 0 && tokens > 0 ? 'unknown' : formatMoney(costUsd);
}

type Column = { name: string; isText?: boolean; show: (row: Cost) => string };

const COLUMNS: readonly Column[] = [
  {
    name: 'Cost',
    show: ({ costUsd, inputTokens, outputTokens }) =>
      renderAmount({ costUsd, tokens: inputTokens + outputTokens }),
  },
  { name: 'Turns', show: ({ turns }) => String(turns) },
  { name: 'Attempts', show: ({ attempts }) => String(attempts) },
  {
    name: 'Agents',
    isText: true,
    show: ({ agents }) => (agents === null ? 'unknown' : describeAgents(agents)),
  },
  {
    name: 'Agent time',
    show: ({ durationMs }) => (durationMs === null ? 'unknown' : formatDuration(durationMs)),
  },
  { name: 'Tokens in', show: ({ inputTokens }) => formatCount(inputTokens) },
  {
    name: 'Cached',
    show: ({ cachedTokens }) => (cachedTokens === null ? 'unknown' : formatCount(cachedTokens)),
  },
  { name: 'Tokens out', show: ({ outputTokens }) => formatCount(outputTokens) },
];

function renderTable(rows: readonly Cost[], { by, total }: { by: CostGroup; total: Totals }): Html {
  const name = GROUP_NAMES[by];
  const look = ({ isText }: Column) => isText !== true && html` class="number"`;
  // A keyboard can scroll the table only if the table can have the focus.
  return html`<div class="wide" role="region" tabindex="0" aria-label="Cost per ${name.toLowerCase()}"><table><thead><tr><th scope="col">${name}</th>${COLUMNS.map((column) => html`<th scope="col"${look(column)}>${column.name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr><td>${renderName(row, by)}</td>${COLUMNS.map((column) => html`<td${look(column)}><bdi>${column.show(row)}</bdi></td>`)}</tr>`)}<tr><td><b>Total</b></td><td class="number"><b>${renderAmount(total)}</b></td><td colspan="4"></td><td class="number" colspan="3">${formatCount(total.tokens)} tokens</td></tr></tbody></table></div>`;
}

function renderName({ day, repo, issue, title, phase }: Cost, by: CostGroup): Html {
  switch (by) {
    case 'day':
      return html`${day === null ? 'unknown' : html`<time datetime="${formatDay(day)}">${formatDay(day)}</time>`}`;
    case 'repo':
      return html`${repo ?? 'unknown'}`;
    case 'phase':
      return html`${nameOfPhase(phase)}`;
    case 'issue':
      return issue === null || repo === null
        ? html`${repo ?? 'unknown'}`
        : html`<a href="/issues/${repo}/${issue}">${repo}#${issue}</a> <bdi class="quiet">${title}</bdi>`;
  }
}

function nameOfPhase(phase: string | null): string {
  const kind = TURN_KINDS.find((known) => known === phase);
  if (kind === undefined) return phase ?? 'unknown';
  return `${TURN_KIND_NAMES[kind]}${kind === 'design_feedback' ? ' on a design' : ''}`;
}

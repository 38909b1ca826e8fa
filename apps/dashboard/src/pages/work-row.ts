import { FLOW_TRAITS } from '@mergexo/core/flows';
import type { Work, WorkStage } from '@mergexo/state';
import { type Html, html } from '../html.js';
import type { Links } from './links.js';
import type { Look } from './parts.js';

/** The name and color of each stage. */
export const STAGES: Readonly<Record<WorkStage, { name: string; look: Look }>> = {
  blocked: { name: 'Blocked', look: 'bad' },
  question: { name: 'Waiting for a reply', look: 'ask' },
  review: { name: 'Waiting for review', look: 'ask' },
  running: { name: 'In progress', look: 'calm' },
  queued: { name: 'Queued', look: 'quiet' },
  merged: { name: 'Merged', look: 'good' },
  closed: { name: 'Closed', look: 'quiet' },
  failed: { name: 'Failed', look: 'bad' },
};

export type Row = {
  work: Work;
  id?: string;
  /** The sentence below the title. */
  about?: Html | undefined;
  /** The content at the end of the row, such as the age and a button. */
  side: Html;
};

/** Renders one issue in a list. The whole row links to the issue's page. */
export function renderRow({ work, id, about, side }: Row, links: Links): Html {
  const { repo, issue, title, stage, flow, pr, url } = work;
  const { name, look } = STAGES[stage];
  return html`<li class="row"${id !== undefined && html` id="${id}"`}>
<span class="state ${look}${stage === 'running' && ' pulsing'}" title="${name}"><span class="hidden">${name}</span></span>
<div class="what"><a class="goal" href="/issues/${repo}/${issue}"><bdi>${title || `Issue ${issue}`}</bdi></a>
<p class="meta">${links.outward(repo, issue)} · ${FLOW_TRAITS[flow].name}${pr !== null && html` · PR ${links.pull({ repo, pr, url })}`}</p>
${about}</div>
<div class="side">${side}</div></li>`;
}

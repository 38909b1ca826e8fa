import { PHASES, type Phase, phaseOf, type Round } from './round.js';
import { isApi, type SentRequest } from './sent-request.js';

const LABEL_WIDTH = 400;
const CHART_WIDTH = 760;
const WIDTH = LABEL_WIDTH + CHART_WIDTH + 70;
const TOP = 96;
const LINE = 17;
const BOTTOM = 34;
/** The widest text that fits left of the bars. */
const LONGEST_LABEL = 58;

/** Colors with enough contrast on white and on near-black. */
const COLORS: Record<Phase, string> = {
  poll: '#3f7fd0',
  begin: '#c27803',
  post: '#2e9e5b',
  after: '#8b8f98',
};
const MEANINGS: Record<Phase, string> = {
  poll: 'poll, until the turn exists',
  begin: 'begin, until the agent starts',
  post: 'post, until the reply is on GitHub',
  after: 'after',
};

// The opaque background and the text change with the color scheme, so the picture is readable on any page.
const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: bold; }
.path { font: 11px ui-monospace, monospace; }
.note { fill: #59636e; }
.back { fill: #ffffff; }
.grid { stroke: #d1d9e0; }
.mark { stroke: #1f2328; stroke-dasharray: 4 3; }
.free { opacity: 0.45; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .note { fill: #9198a1; }
  .back { fill: #0d1117; }
  .grid { stroke: #3d444d; }
  .mark { stroke: #f0f6fc; }
}`;

/** Draws one bar per request over time as SVG. */
export function drawWaterfall({ marks, requests }: Round, title: string): string {
  const height = TOP + requests.length * LINE + BOTTOM;
  const scale = CHART_WIDTH / Math.max(1, marks.end - marks.begin);
  const x = (ms: number): number => round(LABEL_WIDTH + (ms - marks.begin) * scale);
  const drawBar = (request: SentRequest, index: number): string => {
    const { startMs, endMs, status } = request;
    const y = TOP + index * LINE;
    const width = Math.max(1, round((endMs - startMs) * scale));
    const free = status === 304 ? ' class="free"' : '';
    return `<text class="path" x="8" y="${y + 12}">${escapeXml(describe(request))}</text>
<rect x="${x(startMs)}" y="${y + 3}" width="${width}" height="11" fill="${COLORS[phaseOf(request, marks)]}"${free}/>
<text class="path note" x="${x(endMs) + 4}" y="${y + 12}">${status}</text>`;
  };
  const drawMark = (name: string, ms: number, level: number): string =>
    `<line class="mark" x1="${x(ms)}" x2="${x(ms)}" y1="${TOP - 10 - level * 14}" y2="${height - BOTTOM}"/>
<text x="${x(ms) + 4}" y="${TOP - 12 - level * 14}">${name}, ${((ms - marks.begin) / 1_000).toFixed(1)} s</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${escapeXml(title)}</title>
<style>${STYLE}
</style>
<rect class="back" width="${WIDTH}" height="${height}"/>
<text class="title" x="8" y="20">${escapeXml(title)}</text>
${drawLegend()}
${drawGrid({ seconds: (marks.end - marks.begin) / 1_000, x: (second) => x(marks.begin + second * 1_000), height })}
${requests.map(drawBar).join('\n')}
${drawMark('comment posted', marks.begin, 0)}
${drawMark('agent starts', marks.agent, 1)}
${drawMark('reply posted', marks.posted, 0)}
</svg>
`;
}

function drawLegend(): string {
  const entries = PHASES.map((phase, index) => {
    const x = 8 + index * 230;
    return `<rect x="${x}" y="31" width="11" height="11" fill="${COLORS[phase]}"/>
<text x="${x + 17}" y="41">${MEANINGS[phase]}</text>`;
  });
  return [
    ...entries,
    '<text class="note" x="8" y="60">Faint bars are 304 responses, which GitHub does not count.</text>',
  ].join('\n');
}

type Grid = { seconds: number; x: (second: number) => number; height: number };

function drawGrid({ seconds, x, height }: Grid): string {
  return Array.from({ length: Math.floor(seconds) + 1 }, (_, second) => {
    const at = x(second);
    return `<line class="grid" x1="${at}" x2="${at}" y1="${TOP}" y2="${height - BOTTOM}"/>
<text class="note" x="${at}" y="${height - BOTTOM + 18}" text-anchor="middle">${second} s</text>`;
  }).join('\n');
}

/** Returns the method and the path. Shortens commit ids and omits the query, which is often too long to show. */
function describe(request: SentRequest): string {
  const [path = ''] = request.path.split('?');
  const short = path.replace(/\b([0-9a-f]{7})[0-9a-f]{33}\b/g, '$1');
  const text = `${isApi(request) ? '' : 'git '}${request.method} ${short}`;
  return text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for XML. Control characters become U+FFFD, because XML cannot represent them. */
function escapeXml(text: string): string {
  return [...text]
    .map((character) => (character < ' ' ? '\uFFFD' : (ENTITIES[character] ?? character)))
    .join('');
}

const round = (value: number): number => Math.round(value * 10) / 10;

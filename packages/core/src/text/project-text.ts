import MarkdownIt from 'markdown-it';

/** A text as a reader sees it, and the position of each character in the source. */
export type Projection = {
  shown: string;
  /** For each UTF-16 unit of `shown`: its range in the source. */
  starts: readonly number[];
  ends: readonly number[];
};

const { unescapeAll } = new MarkdownIt().utils;

/**
 * Splits Markdown into the parts that disappear or change when GitHub renders it: entities, tags, escaped characters,
 * the targets of links, and marks. In an HTML block, a numeric entity needs no semicolon and may have any number of digits.
 */
const PARTS = new RegExp(
  [
    String.raw`(?<entity>&(?:#(?:\d+|x[0-9a-f]+);?|nbsp;?|[a-z][a-z0-9]{1,31};))`,
    String.raw`(?<tag><\/?[a-z][a-z0-9-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>\x60]+|'[^']*'|"[^"]*"))?)*\s*\/?>|<[?!][^<>]*>)`,
    String.raw`\\(?<escaped>[!-\/:-@[-\x60{-~])`,
    String.raw`(?<target>\](?:\((?:[^()<"']|\([^()]{0,200}\)|<[^<>\n]{0,200}>|"[^"]{0,200}"|'[^']{0,200}'){0,500}\)|\[[^\[\]\n]{0,500}\]))`,
    String.raw`(?<mark>[*_~\x60[\]<>|\\])`,
    String.raw`(?<plain>[^&<\\\]*_~\x60[>|]+|[\s\S])`,
  ].join('|'),
  'gi',
);

/** Projects Markdown and HTML as GitHub renders them. */
export function projectMarkdown(source: string): Projection {
  const projection = createProjection();
  for (const { 0: part, index, groups = {} } of source.matchAll(PARTS)) {
    const range = { start: index, end: index + part.length };
    if (groups['plain'] !== undefined) projection.addEach(part, index);
    else if (/^<br\b/i.test(part)) projection.add(' ', range);
    else if (groups['entity'] !== undefined) projection.add(decode(part), range);
    else if (groups['escaped'] !== undefined) projection.add(groups['escaped'], range);
  }
  return projection.finish();
}

/** Projects a text that GitHub does not render as Markdown, such as a commit message. */
export function projectPlain(source: string): Projection {
  const projection = createProjection();
  projection.addEach(source, 0);
  return projection.finish();
}

function createProjection() {
  const shown: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (text: string, { start, end }: { start: number; end: number }): void => {
    // Full-width letters and ligatures count as the letters that they look like.
    for (const unit of text.normalize('NFKC').split('')) {
      shown.push(unit);
      starts.push(start);
      ends.push(end);
    }
  };
  return {
    add,
    addEach(text: string, at: number): void {
      let start = at;
      for (const char of text) {
        add(char, { start, end: start + char.length });
        start += char.length;
      }
    },
    finish: (): Projection => ({ shown: shown.join(''), starts, ends }),
  };
}

function decode(entity: string): string {
  const number = /^&#(?:x([0-9a-f]+)|(\d+))/i.exec(entity);
  if (number === null) return unescapeAll(entity.endsWith(';') ? entity : `${entity};`);
  const [, hex, decimal] = number;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

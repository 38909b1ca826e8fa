import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

const decode = (text: string): string => decodeURIComponent(text.replaceAll('&amp;', '&'));

function listTargets(html: string): string[] {
  return [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, target = '']) => decode(target));
}

function listIds(html: string): Set<string> {
  return new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => decode(id)));
}

/** Resolves a path like a static host: a folder serves its index, and `.html` is optional. */
function findFile(root: string, path: string): string | undefined {
  const isFile = (file: string): boolean => existsSync(file) && statSync(file).isFile();
  return [path, join(path, 'index.html'), `${path}.html`].map((name) => join(root, name)).find(isFile);
}

/** Lists every broken internal link, image and anchor of a built site, as `page: target`. */
export function findBrokenLinks(root: string, base = '/'): string[] {
  const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.html'),
  );
  return pages.flatMap((page) => {
    const html = readFileSync(join(root, page), 'utf8');
    const isBroken = (target: string): boolean => {
      const [path = '', anchor] = target.split('#', 2);
      if (path.startsWith('/') && !`${path}/`.startsWith(base)) return true;
      const here = path.startsWith('/') ? path.slice(base.length - 1) : posix.join(posix.dirname(page), path);
      const file = path === '' ? join(root, page) : findFile(root, here);
      if (file === undefined) return true;
      return anchor !== undefined && anchor !== '' && !listIds(readFileSync(file, 'utf8')).has(anchor);
    };
    return [...new Set(listTargets(html))]
      .filter((target) => !/^(?:[a-z]+:|\/\/)/.test(target))
      .filter(isBroken)
      .map((target) => `${page}: ${target}`);
  });
}

import { findUploads } from './find-uploads.js';
import { findUploadHosts, isUploadHost } from './upload-hosts.js';

const GUID = '906b9fda-e752-47c5-a17a-6c2cc8bd4856';
const WEB = 'https://github.com';
const ASSET = `${WEB}/user-attachments/assets/${GUID}`;
const FILE = `${WEB}/user-attachments/files/123/server.log`;

const urlsIn = (text: string): string[] =>
  findUploads(text, WEB).map(({ url, isForeign }) => (isForeign ? `foreign ${url}` : url));

describe('findUploads', () => {
  it.each([
    ['an image in Markdown', `See ![shot](${ASSET}).`, [ASSET]],
    ['an image in HTML', `<img width="8" alt="a" src="${ASSET}" />`, [ASSET]],
    ['a bare URL at the end of a sentence', `It is at ${ASSET}.`, [ASSET]],
    ['a linked file', `[server.log](${FILE})`, [FILE]],
    ['several uploads', `${ASSET}\n![](${FILE})`, [ASSET, FILE]],
    [
      'an upper-case host and the default port',
      `HTTPS://GITHUB.COM:443/user-attachments/assets/${GUID}`,
      [ASSET],
    ],
    ['a query and a fragment, which it drops', `${ASSET}?token=x#y`, [ASSET]],
    ['no other GitHub page', `${WEB}/acme/app/issues/1 and ${WEB}/user-attachments/assets/none`, []],
    ['no upload in hidden text', `<!-- ${ASSET} -->`, []],
    ['no link to another server', '[docs](https://example.com/a.png)', []],
    ['an image on another server', '![x](https://example.com/a.png)', ['foreign https://example.com/a.png']],
    ['an image in HTML on another server', '<img src="http://10.0.0.1/a">', ['foreign http://10.0.0.1/a']],
  ])('finds %s', (_name, text, expected) => {
    expect(urlsIn(text)).toEqual(expected);
  });

  it.each([
    ['another host with the name as a suffix', `https://evilgithub.com/user-attachments/assets/${GUID}`],
    [
      'another host with the name as a prefix',
      `https://github.com.evil.test/user-attachments/assets/${GUID}`,
    ],
    ['a host after a user name', `https://github.com@evil.test/user-attachments/assets/${GUID}`],
    ['a user name', `https://me@github.com/user-attachments/assets/${GUID}`],
    ['a password', `https://me:pw@github.com/user-attachments/assets/${GUID}`],
    ['another port', `https://github.com:8443/user-attachments/assets/${GUID}`],
    ['plain HTTP', `http://github.com/user-attachments/assets/${GUID}`],
    ['a trailing dot', `https://github.com./user-attachments/assets/${GUID}`],
  ])('treats an image with %s as foreign', (_name, url) => {
    expect(urlsIn(`![x](${url})`)).toEqual([`foreign ${url}`]);
  });

  it.each([
    `${WEB}/user-attachments/files/1/../../../login`,
    `${WEB}/user-attachments/files/1/a/b.txt`,
    `${WEB}/user-attachments/assets/${GUID}/../../x`,
  ])('does not treat %s as an upload', (url) => {
    expect(urlsIn(url)).toEqual([]);
  });
});

describe('findUploadHosts', () => {
  const hosts = findUploadHosts('https://api.github.com');

  it('knows the file servers of github.com', () => {
    expect(
      isUploadHost(new URL('https://private-user-images.githubusercontent.com/1/2.png?jwt=x'), hosts),
    ).toBe(true);
    expect(isUploadHost(new URL('https://x.private-user-images.githubusercontent.com/'), hosts)).toBe(false);
    expect(isUploadHost(new URL('http://objects.githubusercontent.com/'), hosts)).toBe(false);
    expect(isUploadHost(new URL('https://a:b@objects.githubusercontent.com/'), hosts)).toBe(false);
  });

  it('uses only the host and port of the API for an Enterprise Server and a local GitHub', () => {
    expect(findUploadHosts('https://git.example.com/api/v3')).toEqual({
      web: 'https://git.example.com',
      stores: ['https://git.example.com'],
    });
    const local = findUploadHosts('http://127.0.0.1:4000');
    expect(isUploadHost(new URL('http://127.0.0.1:4000/x'), local)).toBe(true);
    expect(isUploadHost(new URL('http://127.0.0.1:4001/x'), local)).toBe(false);
    expect(isUploadHost(new URL('http://localhost:4000/x'), local)).toBe(false);
  });
});

import { detectFileType } from './detect-file-type.js';

const hex = (text: string): Uint8Array => Buffer.from(text, 'hex');
const PNG = hex('89504e470d0a1a0a0000000d49484452');
const ASSET = 'https://github.com/user-attachments/assets/906b9fda-e752-47c5-a17a-6c2cc8bd4856';
const named = (name: string): string => `https://github.com/user-attachments/files/1/${name}`;

describe('detectFileType', () => {
  it.each([
    ['png', PNG, ASSET],
    ['jpg', hex('ffd8ffe000104a464946'), ASSET],
    ['jpg', hex('ffd8ffe000104a464946'), named('photo.png')],
    ['gif', Buffer.from('GIF89a....'), ASSET],
    ['webp', Buffer.from('RIFF\x01\x02\x03\x04WEBPVP8 '), ASSET],
    ['pdf', Buffer.from('%PDF-1.7 ...'), named('spec.pdf')],
    ['txt', Buffer.from('Grüße'), named('notes.txt')],
    ['log', Buffer.from('a < b\n'), named('SERVER.LOG')],
    ['json', Buffer.from('{"a":1}'), named('a.json')],
    ['csv', Buffer.from('a,b\n'), named('a.csv')],
    ['md', Buffer.from('# Notes\n'), named('a.md')],
  ])('detects %s from the content', (type, bytes, url) => {
    expect(detectFileType(bytes, url)).toBe(type);
  });

  it.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), named('a.svg')],
    ['SVG named as text', Buffer.from('\ufeff <?xml version="1.0"?><svg/>'), named('a.txt')],
    ['HTML', Buffer.from('<!DOCTYPE html><script>1</script>'), named('a.html')],
    ['HTML named as an image', Buffer.from('<html></html>'), named('a.png')],
    ['HTML named as text', Buffer.from('\n<html></html>'), named('a.txt')],
    ['text in an image upload', Buffer.from('hello'), ASSET],
    ['an archive', hex('504b0304'), named('a.zip')],
    ['an archive named as text', hex('504b030400ff'), named('a.txt')],
    ['a program with a path in its name', Buffer.from('#!/bin/sh'), named('..%2f..%2fbin%2fsh')],
    ['an empty file', Buffer.from(''), named('a.txt')],
    ['a signature at the wrong position', Buffer.from('xRIFF1234WEBP'), ASSET],
  ])('refuses %s', (_name, bytes, url) => {
    expect(detectFileType(bytes, url)).toBeUndefined();
  });
});

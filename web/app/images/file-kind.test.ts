import { expect, it } from 'vitest';
import { kindOfFile } from './file-kind.ts';

it.each([
  ['ComfyUI_00001_.png', 'image'],
  ['a.b.WEBP', 'image'],
  ['ComfyUI_00001_.mp4', 'video'],
  ['x.webm', 'video'],
  ['x.flac', 'audio'],
  ['x.opus', 'audio'],
  ['ComfyUI_00001_.glb', 'file'],
  ['png', 'file'],
])('shows %s as %s', (name, kind) => {
  expect(kindOfFile(name)).toBe(kind);
});

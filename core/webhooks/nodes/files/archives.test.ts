import { gzipSync, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { gunzip, unzip } from './archives.ts';

const content = new Uint8Array(100_000);

/** A copy with other numbers of 32 bits, by their positions from the end. */
function changed(bytes: Uint8Array, numbers: Record<number, number>): Uint8Array<ArrayBuffer> {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  for (const [fromEnd, number] of Object.entries(numbers))
    view.setUint32(copy.length - Number(fromEnd), number, true);
  return copy as Uint8Array<ArrayBuffer>;
}

it('unpacks content that is as small as deflate can make it', () => {
  expect(unzip(zipSync({ a: content }, { level: 9 }), 0)).toEqual({ a: content });
  expect(gunzip(gzipSync(content, { level: 9 }), 0)).toEqual(content);
});

it('refuses sizes that the bytes cannot have, before memory is allocated', () => {
  const entry = 22 + 46 + 1;
  const huge = changed(zipSync({ a: content }), { [entry - 24]: 2 ** 30 });
  expect(() => unzip(huge, 0)).toThrow('The archive cannot be read: its directory is damaged');
  expect(() => gunzip(changed(gzipSync(content), { 4: 2 ** 30 }), 0)).toThrow('its size is wrong');
});

it('refuses entries that share their bytes', () => {
  const shared = zipSync({ a: [content, { level: 0 }], b: [content.subarray(0, 10), { level: 0 }] });
  // The second entry gets the size and the position of the first one.
  const second = 22 + 46 + 1;
  const overlapping = changed(shared, {
    [second - 20]: content.length,
    [second - 24]: content.length,
    [second - 42]: 0,
  });
  expect(() => unzip(overlapping, 0)).toThrow('its directory is damaged');
});

it('refuses more entries than the archive has room for', () => {
  const bytes = zipSync({ a: new Uint8Array(1) });
  const end = changed(bytes, {});
  new DataView(end.buffer).setUint16(end.length - 14, 0xffff, true);
  expect(() => unzip(end, 0)).toThrow('The archive cannot be read');
});

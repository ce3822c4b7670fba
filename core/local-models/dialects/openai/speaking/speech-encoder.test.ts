import { expect, test } from 'vitest';
import { type MediaCodecs, MediaUnavailable } from '#core/host';
import { chooseFormat } from './speech-encoder.ts';

const { signal } = new AbortController();

/** Codecs that write MP3 while `isThere()`, with the number of files that they wrote. */
function mp3Codecs(isThere: () => boolean) {
  const counts = { files: 0 };
  const media: Partial<MediaCodecs> = {
    async encodeMp3() {
      if (!isThere()) throw new MediaUnavailable('there is no program for it');
      counts.files++;
      return new Uint8Array(1);
    },
  };
  return { media: media as MediaCodecs, counts };
}

test('a platform is asked once whether it writes a format', async () => {
  const { media, counts } = mp3Codecs(() => true);
  expect(await chooseFormat('mp3', media, signal)).toBe('mp3');
  expect(await chooseFormat(undefined, media, signal)).toBe('mp3');
  expect(counts.files).toBe(1);
});

test('a platform that lacks a format is asked again', async () => {
  let isThere = false;
  const { media } = mp3Codecs(() => isThere);
  expect(await chooseFormat(undefined, media, signal)).toBe('wav');
  await expect(chooseFormat('mp3', media, signal)).rejects.toMatchObject({ status: 400 });
  isThere = true;
  expect(await chooseFormat('mp3', media, signal)).toBe('mp3');
});

import { describe, expect, it } from 'vitest';
import { decodeAudio } from '../decode.ts';
import { encodeOpus } from './encode.ts';

const { signal } = new AbortController();
const sine = (length: number, sampleRate: number, hertz: number) =>
  Float32Array.from({ length }, (_, i) => 0.5 * Math.sin((i * 2 * Math.PI * hertz) / sampleRate));
const encoded = (planes: Float32Array[], sampleRate: number, texts = {}) =>
  encodeOpus(planes, sampleRate, { bitrate: 128_000, texts }, signal);

describe('Opus', () => {
  it.each([
    [48000, 48000],
    [24000, 24000],
    [16000, 16000],
    [8000, 8000],
    [44100, 48000],
    [11025, 12000],
    [4000, 8000],
    [96000, 48000],
  ])('encodes %i samples per second at %i, with the same length', async (rate, encodedRate) => {
    const [left, right] = [sine(rate * 0.51, rate, 440), sine(rate * 0.51, rate, 300)];
    const bytes = await encoded([left, right], rate);
    const head = Buffer.from(bytes).indexOf('OpusHead');
    expect(Buffer.from(bytes).readUInt32LE(head + 12)).toBe(encodedRate);
    const audio = await decodeAudio(bytes, signal);
    expect(audio.sampleRate).toBe(48000);
    const length = (Math.ceil((left.length * encodedRate) / rate) * 48000) / encodedRate;
    expect(audio.channels.map((plane) => plane.length)).toEqual([length, length]);
    for (const [plane, hertz] of [
      [audio.channels[0]!, 440],
      [audio.channels[1]!, 300],
    ] as const)
      for (let at = 4000; at < plane.length - 4000; at += 97)
        expect(plane[at]!).toBeCloseTo(0.5 * Math.sin((at * 2 * Math.PI * hertz) / 48000), 1);
  });
  it('may be empty or shorter than a packet', async () => {
    for (const length of [0, 1, 100]) {
      const audio = await decodeAudio(await encoded([new Float32Array(length)], 48000), signal);
      expect(audio.channels.map((plane) => plane.length)).toEqual([length]);
    }
  });
  it('contains texts of any length', async () => {
    const bytes = await encoded([sine(100, 48000, 440)], 48000, {
      prompt: 'ü=;'.repeat(100_000),
      workflow: '{}',
    });
    // Ogg pages split the text.
    expect(bytes.length).toBeGreaterThan(400_000);
    expect(Buffer.from(bytes).includes('workflow={}')).toBe(true);
    expect((await decodeAudio(bytes, signal)).channels[0]).toHaveLength(100);
  });
  it('refuses more than two channels', async () => {
    const planes = Array.from({ length: 6 }, () => new Float32Array(9));
    await expect(encoded(planes, 48000)).rejects.toThrow('this audio has 6: split it, or save it as FLAC');
  });
  it('ends with the signal', async () => {
    const controller = new AbortController();
    const long = [new Float32Array(48000 * 600)];
    const reason = new Error('stopped');
    setTimeout(() => controller.abort(reason), 50);
    const before = performance.now();
    await expect(encodeOpus(long, 48000, { bitrate: 64_000, texts: {} }, controller.signal)).rejects.toBe(
      reason,
    );
    expect(performance.now() - before).toBeLessThan(2000);
    const bytes = await encoded([sine(48000 * 60, 48000, 440)], 48000);
    await expect(decodeAudio(bytes, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
  it('refuses a file that is cut off, or decodes it up to its end', async () => {
    const bytes = await encoded([sine(48000, 48000, 440)], 48000);
    for (const length of [4, 30, 60, 100, bytes.length / 2]) {
      const outcome = await decodeAudio(bytes.subarray(0, length), signal).then(
        ({ channels }) => channels[0]!.length < 48000,
        ({ name }) => name,
      );
      expect([true, 'SoundUnreadable']).toContain(outcome);
    }
  });
});

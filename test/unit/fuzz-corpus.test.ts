/** Runs the seeds of all fuzz targets, and the inputs that earlier runs found. */
import { readdirSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { corpusOf } from '#test/fuzz/corpus.ts';
import type { FuzzTarget } from '#test/fuzz/target.ts';

const folder = new URL('../fuzz/targets/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));
const encoder = new TextEncoder();

it.each(names)('target %s: every stored input is accepted or refused as documented', async (name) => {
  // A library reports damaged images there.
  vi.spyOn(console, 'log').mockReturnValue();
  const { default: target } = (await import(new URL(`${name}.ts`, folder).href)) as { default: FuzzTarget };
  const seeds = [...(await target.seeds())];
  let accepted = 0;
  for (const seed of [...seeds, ...(await corpusOf(name))]) {
    const input = typeof seed === 'string' ? encoder.encode(seed) : new Uint8Array(seed);
    try {
      await target.run(input);
      accepted++;
    } catch (error) {
      const isDocumented = target.refusals.some((refusal) => error instanceof refusal);
      if (!isDocumented) throw new Error(Buffer.from(input).toString('base64'), { cause: error });
    }
  }
  expect(accepted, 'an accepted input').toBeGreaterThan(0);
});

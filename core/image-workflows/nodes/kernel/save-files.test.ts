import { describe, expect, it } from 'vitest';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import { fileChecks, requireFilePath } from './named-file.ts';
import { percentReporter } from './progress-reporter.ts';
import { metadataTexts, saveFiles } from './save-files.ts';

const bytes = Uint8Array.of(1, 2, 3);

describe('saved files', () => {
  it('have numbered names, and metadata texts of the graph and the client', async () => {
    const { files, context } = fileContext();
    const target = await context.files.target('cat', 'output');
    const saved = await saveFiles(2, [target, 'output', 'bin'], context, (index, texts) =>
      new TextEncoder().encode(`${index} ${Object.keys(texts)}`),
    );
    expect(saved.map(({ filename }) => filename)).toEqual(['cat_00001_.bin', 'cat_00002_.bin']);
    const second = await files.read('output/cat_00002_.bin');
    expect(new TextDecoder().decode(second)).toBe('1 prompt,workflow');
  });

  it('have no metadata when the server saves none', () => {
    const { context } = fileContext({}, { promptJson: undefined });
    expect(metadataTexts(context)).toEqual({});
  });

  it('stop before the next file when the execution is cancelled', async () => {
    const controller = new AbortController();
    const { files, context } = fileContext({}, { signal: controller.signal });
    const target = await context.files.target('cat', 'output');
    const encode = () => {
      controller.abort(new Error('interrupted'));
      return bytes;
    };
    await expect(saveFiles(2, [target, 'output', 'bin'], context, encode)).rejects.toThrow('interrupted');
    expect((await files.list('output'))?.map(({ path }) => path)).toEqual(['output/cat_00001_.bin']);
  });
});

describe('files that graphs name', () => {
  it('are found in subfolders and in other folders', async () => {
    const { files, context } = fileContext();
    await files.write('input/sub/a.png', bytes);
    await files.write('output/b.png', bytes);
    expect(await requireFilePath('image', 'sub/a.png', context)).toBe('input/sub/a.png');
    expect(await requireFilePath('image', 'b.png [output]', context)).toBe('output/b.png');
    await expect(requireFilePath('audio', 'c.flac', context)).rejects.toThrow('Invalid audio file: c.flac');
  });

  it('are valid when they exist, and have a fingerprint of their bytes', async () => {
    const { files, context } = fileContext();
    await files.write('input/a.png', bytes);
    const { validate, fingerprint } = fileChecks('image');
    expect(await validate.check({ image: 'a.png' }, context)).toBe(true);
    expect(await validate.check({ image: 'b.png' }, context)).toBe('Invalid image file: b.png');
    const before = await fingerprint({ image: 'a.png' }, context);
    await files.write('input/a.png', Uint8Array.of(4));
    expect(await fingerprint({ image: 'a.png' }, context)).not.toBe(before);
    expect(await fingerprint({ image: 'b.png' }, context)).toBeUndefined();
  });
});

it('reports each percentage once, and notices an interrupt between two of them', async () => {
  const reported: number[] = [];
  const controller = new AbortController();
  const { context } = fileContext(
    {},
    { signal: controller.signal, progress: async (value) => void reported.push(value) },
  );
  const report = percentReporter(context);
  for (const share of [0, 0.004, 0.01, 0.019, 1]) await report(share);
  expect(reported).toEqual([0, 1, 100]);
  controller.abort(new Error('interrupted'));
  await expect(report(1)).rejects.toThrow('interrupted');
});

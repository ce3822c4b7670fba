import { expect, it } from 'vitest';
import { runServices } from '#test/support/image-workflows/prompt-fixtures.ts';
import { choice, int } from '../nodes/kernel/inputs.ts';
import { node } from '../nodes/kernel/node-type.ts';
import { NodeDescriptions } from './node-descriptions.ts';

const shared = { category: 'test', module: 'test', outputs: [], run: () => [] } as const;
const fixed = node({ ...shared, name: 'Fixed', inputs: { value: int(), mode: choice(['a']) } });
const listing = node({
  ...shared,
  name: 'Listing',
  inputs: { file: choice((files) => files.names('input')) },
});

it('prints a description once, unless it lists files', async () => {
  const { files, host } = runServices([]);
  const descriptions = new NodeDescriptions(files);
  expect(await descriptions.describe(fixed)).toBe(await descriptions.describe(fixed));
  expect(JSON.parse((await descriptions.describe(fixed)).text)).toMatchObject({ name: 'Fixed' });
  const choices = async () => JSON.parse((await descriptions.describe(listing)).text).input.required.file;
  expect(await choices()).toEqual([[]]);
  await host.files.write('input/a.png', new Uint8Array(1));
  expect(await choices()).toEqual([['a.png']]);
});

it('lists a folder once for all nodes of an answer, and anew for the next', async () => {
  const { files, host } = runServices([]);
  let lists = 0;
  const names: typeof files.names = (...folder) => {
    lists++;
    return files.names(...folder);
  };
  const descriptions = new NodeDescriptions(Object.assign(Object.create(files), { names }));
  const types = [listing, { ...listing, name: 'Second' }, fixed];
  expect([...(await descriptions.describeAll(types)).keys()]).toEqual(['Listing', 'Second', 'Fixed']);
  expect(lists).toBe(1);
  await host.files.write('input/b.png', new Uint8Array(1));
  const { text } = (await descriptions.describeAll(types)).get('Second')!;
  expect(JSON.parse(text).input.required.file).toEqual([['b.png']]);
});

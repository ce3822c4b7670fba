import { expect, it } from 'vitest';
import { AddedFiles } from './added-files.ts';
import type { FoundKind } from './model-file-client.ts';

const fileOf = (name: string, size = 10) => new File([new Uint8Array(size)], name);

function filesOf(found: FoundKind | Error) {
  const sent: string[] = [];
  let imported = 0;
  let updates = 0;
  const client = {
    async kindOf() {
      if (found instanceof Error) throw found;
      return found;
    },
    async add(file: File, folder: string, onProgress: (completed: number) => void) {
      onProgress(file.size);
      sent.push(`${folder}/${file.name}`);
    },
  };
  const added = new AddedFiles(
    client,
    () => {},
    () => {
      updates++;
    },
    async () => {
      imported++;
    },
  );
  return { added, sent, imported: () => imported, updates: () => updates };
}

it('files go into the folder of their kind, and the lists are read again', async () => {
  const { added, sent, updates } = filesOf({ kind: 'a LoRA', folder: 'loras' });
  await added.add([fileOf('a.safetensors'), fileOf('b.pt')]);
  expect(sent).toEqual(['loras/a.safetensors', 'loras/b.pt']);
  expect(added.list).toMatchObject([
    { state: 'done', folder: 'loras', completed: 10 },
    { state: 'done', folder: 'loras' },
  ]);
  expect(updates()).toBe(2);
});

it('the person chooses the folder of an unclear file', async () => {
  const { added, sent } = filesOf({ folders: ['vae', 'loras'] });
  await added.add([fileOf('a.pth')]);
  expect(added.list).toMatchObject([{ state: 'asking', found: { folders: ['vae', 'loras'] } }]);
  expect(sent).toEqual([]);
  await added.choose(added.list[0]!, 'vae');
  expect(sent).toEqual(['vae/a.pth']);
});

it('an error stays with its file, and GGUF files are imported', async () => {
  const { added, imported } = filesOf(new Error('a.safetensors cannot be read: it is damaged'));
  await added.add([fileOf('a.safetensors'), fileOf('notes.txt'), fileOf('chat.GGUF')]);
  expect(added.list).toMatchObject([
    { state: 'failed', error: 'a.safetensors cannot be read: it is damaged' },
    { state: 'failed', error: expect.stringContaining('notes.txt is no model file') },
  ]);
  expect(imported()).toBe(1);
  added.remove(added.list[0]!);
  expect(added.list).toHaveLength(1);
});

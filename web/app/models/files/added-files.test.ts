import { expect, it } from 'vitest';
import { AddedFiles } from './added-files.ts';
import type { FoundKind } from './model-file-client.ts';

const fileOf = (name: string, size = 10) => new File([new Uint8Array(size)], name);

function filesOf(found: FoundKind | Error, takesLanguageModels = true) {
  const sent: string[] = [];
  const imported: string[][] = [];
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
    takesLanguageModels
      ? async (files: readonly File[]) => {
          imported.push(files.map(({ name }) => name));
        }
      : undefined,
  );
  return { added, sent, imported, updates: () => updates };
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

it('an error stays with its file', async () => {
  const { added } = filesOf(new Error('a.safetensors cannot be read: it is damaged'));
  await added.add([fileOf('a.safetensors'), fileOf('notes.txt')]);
  expect(added.list).toMatchObject([
    { state: 'failed', error: 'a.safetensors cannot be read: it is damaged' },
    { state: 'failed', error: expect.stringContaining('notes.txt is no model file') },
  ]);
  added.remove(added.list[0]!);
  expect(added.list).toHaveLength(1);
});

it('GGUF files of networks go into their folder, and language models are imported', async () => {
  const network = filesOf({ kind: 'a diffusion network of Flux', folder: 'diffusion_models' });
  await network.added.add([fileOf('flux-Q8_0.gguf')]);
  expect(network.sent).toEqual(['diffusion_models/flux-Q8_0.gguf']);
  const chat = filesOf({ isLanguageModel: true });
  await chat.added.add([fileOf('chat.GGUF')]);
  expect([chat.imported, chat.sent, chat.added.list]).toEqual([[['chat.GGUF']], [], []]);
});

it('the parts of a split file are one model', async () => {
  const names = ['b-00002-of-00002.gguf', 'a.gguf', 'b-00001-of-00002.gguf'];
  const chat = filesOf({ isLanguageModel: true });
  await chat.added.add(names.map((name) => fileOf(name)));
  expect(chat.imported).toEqual([['a.gguf'], ['b-00001-of-00002.gguf', 'b-00002-of-00002.gguf']]);
  const network = filesOf({ kind: 'a diffusion network of Flux', folder: 'diffusion_models' });
  await network.added.add([fileOf(names[0]!, 4), fileOf(names[2]!, 10)]);
  expect(network.sent).toEqual([`diffusion_models/${names[2]}`, `diffusion_models/${names[0]}`]);
  expect(network.added.list.map(({ completed, state }) => [completed, state])).toEqual([[14, 'done']]);
});

it('the person chooses the use of a text encoder that is a language model', async () => {
  const found = { kind: 'the text encoder Qwen 3 4B', folders: ['text_encoders'], isLanguageModel: true };
  const { added, imported, sent } = filesOf(found);
  await added.add([fileOf('a.gguf'), fileOf('b.gguf')]);
  const [first, second] = [...added.list];
  expect(first).toMatchObject({ state: 'asking', found: { folders: ['text_encoders', 'chat'] } });
  await added.choose(first!, 'text_encoders');
  await added.choose(second!, 'chat');
  expect([imported, sent]).toEqual([[['b.gguf']], ['text_encoders/a.gguf']]);
});

it('a server without imports names the command for language models', async () => {
  const chat = filesOf({ isLanguageModel: true }, false);
  await chat.added.add([fileOf('chat.gguf')]);
  expect(chat.added.list).toMatchObject([
    { state: 'failed', error: expect.stringContaining('npx tabd import chat.gguf') },
  ]);
  const encoder = filesOf({ folders: ['text_encoders'], isLanguageModel: true }, false);
  await encoder.added.add([fileOf('qwen.gguf')]);
  expect(encoder.added.list).toMatchObject([{ state: 'asking', found: { folders: ['text_encoders'] } }]);
});

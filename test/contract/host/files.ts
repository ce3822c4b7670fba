/** The contract of every file tree. */
import { FileMissing, type Files, PathUnusable } from '#core/host';
import { assert, type Case, equal, failure } from './assert.ts';

export interface FilesEnvironment {
  open(): Promise<Files>;
}

const text = (value: string) => new TextEncoder().encode(value);
const read = async (files: Files, path: string, start?: number, end?: number) =>
  new TextDecoder().decode(await files.read(path, start, end));

export const fileCases: Case<FilesEnvironment>[] = [
  {
    name: 'a file comes back whole and in parts, also after opening again',
    async run({ open }) {
      const files = await open();
      equal(await files.write('output/sub/ü x.png', text('0123456789')), true);
      const again = await open();
      equal(await read(again, 'output/sub/ü x.png'), '0123456789');
      equal(await read(again, 'output/sub/ü x.png', 2, 5), '234');
      equal(await read(again, 'output/sub/ü x.png', 8, 100), '89');
      equal(await new Response(await again.body('output/sub/ü x.png', 3, 6)).text(), '345');
      const info = await again.stat('output/sub/ü x.png');
      equal([info?.kind, info?.size], ['file', 10]);
      assert(Math.abs((info?.modifiedAt ?? 0) - Date.now()) < 60_000, 'modified now');
    },
  },
  {
    name: 'large bodies come as they are',
    async run({ open }) {
      const files = await open();
      const bytes = new Uint8Array(3_000_000).map((_, index) => index % 251);
      await files.write('big', bytes);
      const body = new Uint8Array(await new Response(await files.body('big')).arrayBuffer());
      equal(body.length, bytes.length);
      assert(
        body.every((byte, index) => byte === bytes[index]),
        'the same bytes',
      );
    },
  },
  {
    name: 'writing replaces, unless it is exclusive',
    async run({ open }) {
      const files = await open();
      await files.write('a', text('long old text'));
      equal(await files.write('a', text('new')), true);
      equal(await read(files, 'a'), 'new');
      equal(await files.write('a', text('other'), { exclusive: true }), false);
      equal(await read(files, 'a'), 'new');
      equal(await files.write('b', text('other'), { exclusive: true }), true);
    },
  },
  {
    name: 'a file that is replaced while it is read comes as one of its versions',
    async run({ open }) {
      const files = await open();
      const versions = ['a', 'b'].map((letter) => letter.repeat(200_000));
      await files.write('x', text(versions[0]!));
      let isWriting = true;
      const reading = async () => {
        while (isWriting) assert(versions.includes(await read(files, 'x')), 'one of the versions');
      };
      const readers = Promise.all([reading(), reading()]);
      try {
        for (let at = 1; at <= 20; at++) await files.write('x', text(versions[at % 2]!));
      } finally {
        isWriting = false;
      }
      await readers;
    },
  },
  {
    name: 'a file that is deleted while it is read comes complete, or is missing',
    async run({ open }) {
      const files = await open();
      const content = 'a'.repeat(200_000);
      for (let at = 0; at < 10; at++) {
        await files.write('x', text(content));
        const reading = read(files, 'x').catch((error: unknown) => {
          if (!(error instanceof FileMissing)) throw error;
          return content;
        });
        await files.delete('x');
        equal((await reading) === content, true);
      }
    },
  },
  {
    name: 'the body of a small file outlives the file',
    async run({ open }) {
      const files = await open();
      for (const [at, end] of [
        ['deleted', () => files.delete('x')],
        ['replaced', () => files.write('x', text('new'))],
      ] as const) {
        await files.write('x', text('0123456789'));
        const body = await files.body('x', 2, 6);
        await end();
        equal([at, await new Response(body).text()], [at, '2345']);
      }
    },
  },
  {
    name: 'of many exclusive writers one wins',
    async run({ open }) {
      const files = await open();
      const won = await Promise.all(
        [1, 2, 3, 4, 5].map((n) => files.write('f/x', text(`${n}`), { exclusive: true })),
      );
      equal(won.filter(Boolean).length, 1);
    },
  },
  {
    name: 'a file written in parts, in any order, is seen when it is whole',
    async run({ open }) {
      const files = await open();
      await files.write('d/old', text('long old text'));
      for (const path of ['d/e/new', 'd/old']) {
        const writer = await files.create(path);
        await writer.write(0, text('0123'));
        await writer.write(4, text('4567'));
        await writer.write(2, text('xy'));
        if (path === 'd/old') equal(await read(files, path), 'long old text');
        else equal(await files.stat(path), undefined);
        equal(
          (await files.list(''))?.map((info) => info.path),
          ['d'],
        );
        await writer.close();
        await writer.abort();
        equal(await read(await open(), path), '01xy4567');
      }
      equal((await files.names('d'))?.sort(), ['e', 'old']);
      equal(await files.names(''), ['d']);
    },
  },
  {
    name: 'of a file that was given up nothing stays',
    async run({ open }) {
      const files = await open();
      await files.write('d/old', text('old'));
      for (const path of ['d/new', 'd/old']) {
        const writer = await files.create(path);
        await writer.write(0, text('0123'));
        await writer.abort();
      }
      equal(await files.names('d'), ['old']);
      equal(await read(files, 'd/old'), 'old');
    },
  },
  {
    name: 'folders list what lies directly in them',
    async run({ open }) {
      const files = await open();
      await files.write('d/one', text('1'));
      await files.write('d/e/two', text('2'));
      await files.makeFolder('d/empty/deep');
      const names = (await files.list('d'))?.map(({ path, kind }) => `${kind} ${path}`).sort();
      equal(names, ['file d/one', 'folder d/e', 'folder d/empty']);
      equal((await files.names('d'))?.sort(), ['e', 'empty', 'one']);
      equal(await files.names('d/nothing'), undefined);
      equal(await files.list('d/nothing'), undefined);
      equal(await files.list('d/one'), undefined);
      equal(
        (await files.list(''))?.map(({ path }) => path),
        ['d'],
      );
      equal((await files.stat('d/e'))?.kind, 'folder');
    },
  },
  {
    name: 'files and folders are deleted and moved',
    async run({ open }) {
      const files = await open();
      await files.write('d/one', text('1'));
      await files.write('d/two', text('2'));
      await files.move('d/one', 'e/f/three');
      equal(await files.stat('d/one'), undefined);
      equal(await read(files, 'e/f/three'), '1');
      await files.move('e/f/three', 'd/two');
      equal(await read(files, 'd/two'), '1');
      await files.move('d/two', 'd/two');
      equal(await read(files, 'd/two'), '1');
      await files.makeFolder('d/folder');
      assert(
        (await failure(() => files.move('d/two', 'd/folder'))) instanceof PathUnusable,
        'a folder there',
      );
      equal(await read(files, 'd/two'), '1');
      equal(await files.delete('d'), true);
      equal(await files.delete('d'), false);
      equal(await files.stat('d/two'), undefined);
      assert((await failure(() => files.move('d/two', 'x'))) instanceof FileMissing, 'nothing to move');
      assert((await failure(() => files.read('d/two'))) instanceof FileMissing, 'nothing to read');
      assert((await failure(() => files.body('d/two'))) instanceof FileMissing, 'no body either');
    },
  },
  {
    name: 'a path that files or folders block, or that is too long, is an error',
    async run({ open }) {
      const files = await open();
      await files.write('blocker', text('a file'));
      await files.write('folder/x', text('x'));
      for (const path of ['blocker/new', 'blocker/deep/new', 'folder', 'ü'.repeat(128)]) {
        for (const exclusive of [false, true]) {
          if (path === 'folder' && exclusive) continue;
          const error = await failure(() => files.write(path, text('new'), { exclusive }));
          assert(error instanceof PathUnusable, `writing ${path}: ${String(error)}`);
        }
        // A host may notice it when the file begins or when it ends.
        const error = await failure(async () => {
          const writer = await files.create(path);
          await writer.write(0, text('new'));
          await writer.close().finally(() => writer.abort());
        });
        assert(error instanceof PathUnusable, `closing ${path}: ${String(error)}`);
      }
      const error = await failure(() => files.makeFolder('blocker/deep'));
      assert(error instanceof PathUnusable, `a folder below a file: ${String(error)}`);
      equal(await read(files, 'blocker'), 'a file');
      equal(await files.names('folder'), ['x']);
    },
  },
  {
    name: 'no path leaves the tree',
    async run({ open }) {
      const files = await open();
      for (const path of ['../x', 'a/../../x', '/etc/passwd', 'a//b', 'a/./b', 'a\0b', 'a\\..\\b', '.']) {
        for (const write of [
          () => files.read(path),
          () => files.write(path, text('no')),
          () => files.create(path),
          () => files.stat(path),
          () => files.delete(path),
        ]) {
          const error = await failure(write);
          assert(error instanceof TypeError, `${path} was taken: ${String(error)}`);
        }
      }
    },
  },
];

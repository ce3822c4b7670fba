/** When the list loads, and which thumbnails it holds. The tests of the image graph use a real server. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FinishedRun, QueueClient } from './queue-client.ts';
import { ImageRunList } from './run-list.ts';

const run = (id: string, ...filenames: string[]): FinishedRun => ({
  id,
  prompt: {},
  outcome: 'done',
  images: filenames.map((filename) => ({ filename, subfolder: '', type: 'output' })),
});

let history: FinishedRun[];
let client: { [Name in keyof QueueClient]: ReturnType<typeof vi.fn> };
let notify: () => void;
let list: ImageRunList;
const revoked: string[] = [];
beforeEach(() => {
  history = [];
  revoked.length = 0;
  let urls = 0;
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => `blob:${urls++}`);
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void revoked.push(url));
  client = {
    queue: vi.fn(async () => ({ running: [], waiting: [] })),
    history: vi.fn(async () => history),
    viewFile: vi.fn(async () => new Blob()),
    follow: vi.fn(async (changed: () => void) => {
      notify = changed;
    }),
    withdraw: vi.fn(async () => undefined),
    clearQueue: vi.fn(async () => undefined),
    interrupt: vi.fn(async () => undefined),
    forget: vi.fn(async () => undefined),
    clearHistory: vi.fn(async () => undefined),
  };
  list = new ImageRunList(client as unknown as QueueClient);
});
afterEach(() => void vi.restoreAllMocks());

it('loads once more after several changes during a load', async () => {
  list.open();
  list.open();
  for (let change = 0; change < 5; change++) notify();
  await vi.waitFor(() => expect(list.finished).toEqual([]));
  await list.load();
  expect(client.follow).toHaveBeenCalledTimes(1);
  expect(client.queue.mock.calls.length).toBeLessThanOrEqual(3);
});

it('loads the first image of each run once, and releases it when it closes', async () => {
  history = [run('1', 'a.mp4', 'b.png', 'c.png'), run('2', 'sound.flac')];
  list.open();
  await vi.waitFor(() => expect([...list.thumbnails]).toEqual([['1', 'blob:0']]));
  await list.load();
  expect(client.viewFile.mock.calls.map(([file]) => file.filename)).toEqual(['b.png']);
  list.close();
  expect([list.isOpen, list.thumbnails.size, revoked]).toEqual([false, 0, ['blob:0']]);
});

it('shows the other runs when an image was deleted', async () => {
  history = [run('1', 'gone.png'), run('2', 'b.png')];
  client.viewFile.mockRejectedValueOnce(new Error('not found'));
  list.open();
  await vi.waitFor(() => expect([...list.thumbnails.keys()]).toEqual(['2']));
  expect(list.failure).toBeUndefined();
});

it('loads no image after it was closed', async () => {
  history = [run('1', 'a.png'), run('2', 'b.png')];
  client.viewFile.mockImplementation(async () => {
    list.close();
    return new Blob();
  });
  list.open();
  await vi.waitFor(() => expect(client.viewFile).toHaveBeenCalled());
  await list.load();
  expect(list.thumbnails.size).toBe(0);
  expect(client.viewFile).toHaveBeenCalledTimes(1);
});

it('loads after an action, also when the server rejects it', async () => {
  client.interrupt.mockRejectedValueOnce(new Error('it has ended'));
  const failures: (string | undefined)[] = [];
  list.addEventListener('change', () => failures.push(list.failure));
  await list.stop('1');
  expect(failures[0]).toBe('it has ended');
  expect(client.history).toHaveBeenCalledTimes(1);
});

it('reports why it could not load, and keeps the lists', async () => {
  history = [run('1')];
  await list.load();
  client.queue.mockRejectedValueOnce(new Error('no connection'));
  await list.load();
  expect([list.failure, list.finished?.length]).toEqual(['no connection', 1]);
});
